/** What the agents of a home remember, and the index by which it is found. */
import { join } from 'node:path';
import type { Embedder } from '../../kernel/memory/index-port.ts';
import { MemoryManager } from '../../memory/memory-manager.ts';
import { openHttpEmbedder } from '../../models/http-embedder.ts';
import { eraseFiles } from '../../relay/files/erase-files.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Engines } from './compose.ts';
import { HomeEmbedder } from './embedder.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeMemory extends AsyncDisposable {
  readonly memory: MemoryManager;
}

type MemorySettings = Pick<
  Settings,
  'memoryEmbedder' | 'memoryEmbedderUrl' | 'memoryEmbedderModel' | 'memoryEmbedderSecret'
>;

export interface HomeMemoryOptions {
  readonly open: Pick<OpenHome, 'realHome' | 'ledger' | 'grants' | 'secrets'>;
  readonly log: Pick<Log, 'warn'>;
  /** Only a process that stays embeds: others search by words. */
  readonly isDaemon: boolean;
}

export function openHomeMemory(
  engines: Engines,
  settings: MemorySettings,
  { open, log, isDaemon }: HomeMemoryOptions,
): HomeMemory {
  const { ledger, grants, realHome } = open;
  const opened = new AsyncDisposableStack();
  const index = opened.use(engines.openMemoryIndex({ file: join(realHome, 'search.db') }));
  const isEmbedding = isDaemon && settings.memoryEmbedder !== 'none';
  const embedding = isEmbedding
    ? opened.use(
        new HomeEmbedder({
          ...{ index, log, clock: engines.clock },
          open: (signal) => openEmbedder(engines, settings, open, signal),
        }),
      )
    : undefined;
  const memory = opened.use(
    new MemoryManager({
      ...{ ...engines, ledger, grants, index, log },
      eraseFiles: (message) =>
        eraseFiles({ ...engines, home: realHome, sql: ledger.committed }, message),
      embedder: () => embedding?.embedder,
      onIndexed: () => embedding?.wake(),
      progress: () => embedding?.progress,
    }),
  );
  // What a process that died has not told the index, and what has to be embedded.
  if (isDaemon) memory.wake();
  return { memory, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openEmbedder(
  engines: Engines,
  settings: MemorySettings,
  { secrets }: Pick<OpenHome, 'secrets'>,
  signal: AbortSignal,
): Promise<Embedder> {
  if (settings.memoryEmbedder === 'use-lite') return engines.openUseLite();
  const { memoryEmbedderUrl: url, memoryEmbedderModel: model, memoryEmbedderSecret } = settings;
  const key = memoryEmbedderSecret === 'none' ? undefined : secrets.valueOf(memoryEmbedderSecret);
  return openHttpEmbedder({ ...engines, url, model, key }, signal);
}
