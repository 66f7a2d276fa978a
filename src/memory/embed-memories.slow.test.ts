import { expect, test } from 'vitest';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { until } from '../../tests/support/until.ts';
import { realClock } from '../engines/clock.ts';
import { openMemoryIndex } from '../engines/memory/memory-index.ts';
import { openUseLite } from '../engines/memory/use-lite.ts';
import type { IndexedMemory } from '../kernel/memory/index-port.ts';
import { MemoryEmbedding } from './embed-memories.ts';

keepCompiled();

const forEver = new AbortController().signal;
const now = Date.UTC(2030, 0, 1);
const place = { owner: 'agent:jean', scope: 'long-term' } as const;

const memory = (id: number, text: string): IndexedMemory => ({
  ...{ ...place, id, text, key: `notes/${id}`, tags: [], thread: undefined, validFrom: now },
});

test('what was embedded in the background is found by what it means', async () => {
  await using folder = temporaryFolder();
  await using index = openMemoryIndex({ file: folder.at('search.db'), clock: realClock });
  await using embedder = await openUseLite();
  const texts = ['The vehicle stands in the garage', 'She bakes bread', 'The invoice was paid'];
  await index.apply(
    texts.map((text, place) => ({ id: place + 1, memory: memory(place + 1, text) })),
    { seq: 1, event: 1, eventHash: '' },
  );
  const log = { warn: (_facts: object, words: string) => expect.unreachable(words) };
  await using embedding = new MemoryEmbedding({ index, embedder, clock: realClock, log });

  embedding.wake();
  await until(() => expect(embedding.progress()).toMatchObject({ done: 3, total: 3 }));
  const query = 'parked car';
  const [vector] = await embedder.embed([query], forEver);
  const within = [{ ...place, chains: 'all' as const }];
  const { hits: found } = await index.search(
    { query, vector, within, tags: [], now, limit: 10, by: 'memory' },
    forEver,
  );

  expect(found[0]?.id).toBe(1);
  expect(found[0]?.parts).toMatchObject({ words: 0, dense: expect.any(Number) });
});
