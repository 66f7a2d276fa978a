/** The file agent of a home: where it works, and with what. */
import { usualLimits } from '../../files/deps.ts';
import { FileAgent } from '../../files/open-file-agent.ts';
import type { ModelCatalog } from '../../kernel/agent/model.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { absolutePath } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';
import { proposeRequest } from './propose-request.ts';
import { withoutSymlinks } from './without-symlinks.ts';

export interface HomeFiles extends AsyncDisposable {
  readonly files: FileAgent;
}

export interface HomeFilesOptions {
  readonly open: Pick<OpenHome, 'realHome' | 'ledger' | 'grants'>;
  readonly log: { error(facts: object, words: string): void };
  /** Put together after this; undefined where there are none. */
  readonly models?: (() => ModelCatalog | undefined) | undefined;
}

/** What a process that died has left in the middle is ended before it is asked for more. */
export async function openHomeFiles(
  engines: Engines,
  settings: Pick<Settings, 'filesRoot' | 'trashFolder' | 'defaultModel'>,
  { open, log, models }: HomeFilesOptions,
): Promise<HomeFiles> {
  const { disk } = engines;
  const { realHome: home, ledger, grants } = open;
  await using opened = new AsyncDisposableStack();
  const looking = opened.use(engines.openFileLooking());
  const searching = opened.use(
    engines.openFileSearching({ looking, indexFolder: `${home}/index` }),
  );
  const propose = async (sentence: string, signal: AbortSignal): Promise<unknown> => {
    const catalog = models?.();
    const today = timeText(engines.clock.now()).slice(0, 10);
    return catalog && proposeRequest(catalog, settings.defaultModel, { sentence, today, signal });
  };
  const files = new FileAgent({
    ...engines,
    ...{ ledger, grants, home, looking, searching, limits: usualLimits },
    root: await withoutSymlinks(disk, absolutePath(settings.filesRoot)),
    trash: await withoutSymlinks(disk, absolutePath(settings.trashFolder)),
    uid: engines.uid,
    propose: models && settings.defaultModel !== 'none' ? propose : undefined,
  });
  await files.recover(log);
  const kept = opened.move();
  return { files, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
