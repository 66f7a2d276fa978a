/** The file agent over a folder of a test: real disk, real threads, a ledger that is gone after. */
import { mkdirSync } from 'node:fs';
import { realClock, realEventLoop, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { realTreeDisk } from '../../src/engines/disk/tree-disk.ts';
import { realMounts, realVolume } from '../../src/engines/disk/volume.ts';
import { openFileLooking } from '../../src/engines/files/looking.ts';
import { openFileSearching } from '../../src/engines/files/search/searching.ts';
import { openTimeZone } from '../../src/engines/time-zone.ts';
import { usualLimits } from '../../src/files/deps.ts';
import type { FileRun } from '../../src/files/file-agent.ts';
import { FileAgent } from '../../src/files/open-file-agent.ts';
import type { FileAnswer, FileRequest } from '../../src/kernel/files/request.ts';
import type { Clock, Disk, Mounts, TreeDisk, Volume } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import type { SearchThreads } from './search-world.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';

export interface FileAgentWorld extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  /** The folder that it works in. */
  readonly root: string;
  readonly trash: string;
  readonly agent: FileAgent;
  readonly ledger: Ledger;
  readonly grants: Grants;
  /** As the owner, unless somebody else is named. */
  ask(request: FileRequest, run?: Partial<FileRun>): Promise<FileAnswer>;
  /** The same, with the owner's yes to whatever is asked. */
  confirm(request: FileRequest): Promise<FileAnswer>;
  undo(plan?: string): Promise<FileAnswer>;
  restore(path: string): Promise<FileAnswer>;
  give(agent: string, ...capabilities: readonly string[]): Promise<readonly string[]>;
  revoke(grant: string): Promise<void>;
}

export interface FileAgentChoices {
  readonly disk?: Disk;
  readonly treeDisk?: TreeDisk;
  readonly volume?: Volume;
  readonly mounts?: Mounts;
  readonly clock?: Clock;
  readonly root?: string;
  /** An earlier one's, whose process died. */
  readonly folder?: TemporaryFolder;
  readonly zone?: string;
  /** Those of several worlds, which stay; else it has its own. */
  readonly threads?: Pick<SearchThreads, 'looking' | 'searching'> | undefined;
  readonly limits?: Partial<typeof usualLimits>;
  /** What a model says that a sentence means. */
  readonly propose?: (sentence: string) => Promise<unknown>;
  /** Higher than that of an earlier one. */
  readonly epoch?: number;
  /** Puts something between it and its ledger. */
  readonly watch?: (ledger: Ledger) => Ledger;
}

let calls = 0;

export async function fileAgentWorld(choices: FileAgentChoices = {}): Promise<FileAgentWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = choices.folder ?? opened.use(temporaryFolder());
  const root = choices.root ?? folder.at('root');
  const home = folder.at('home');
  const trash = folder.at('Trash');
  for (const path of [root, home]) mkdirSync(path, { recursive: true });
  const { disk = realDisk, treeDisk = realTreeDisk, clock = realClock } = choices;
  const { epoch = 1 } = choices;
  const bare = opened.use(await openTestLedger(`${home}/ledger.db`, { epoch }));
  const ledger = choices.watch?.(bare) ?? bare;
  const grants = new Grants({ ledger, clock, random: realRandom });
  const zone = openTimeZone(choices.zone ?? 'UTC');
  const { looking, searching } = choices.threads ?? ownThreads(opened, zone.name, `${home}/index`);
  const agent = new FileAgent({
    ...{ disk, treeDisk, clock, ledger, grants, looking, searching, zone, home, trash, root },
    volume: choices.volume ?? realVolume,
    mounts: choices.mounts ?? realMounts,
    ...{ random: realRandom, eventLoop: realEventLoop, uid: process.getuid?.() ?? 0 },
    limits: { ...usualLimits, ...choices.limits },
    propose: choices.propose,
  });
  const kept = opened.move();
  const runOf = (run: Partial<FileRun> = {}): FileRun => ({
    ...{ principal: 'owner', key: `call-${++calls}`, signal: new AbortController().signal },
    approvedReason: async () => undefined,
    ...run,
  });
  const ask: FileAgentWorld['ask'] = (request, run) => agent.run(request, runOf(run));
  return {
    ...{ folder, root, trash, agent, ledger, grants, ask },
    confirm: (request) => confirmed(ask, request),
    undo: (plan) => agent.undo({ plan, dryRun: false }, runOf()),
    restore: (path) => agent.restore({ path, dryRun: false }, runOf()),
    give: (name, ...capabilities) => give(grants, name, capabilities),
    revoke: async (grant) => {
      await grants.change((_, changes) => changes.revoke(grant), [grant]);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function ownThreads(opened: AsyncDisposableStack, zone: string, indexFolder: string) {
  const looking = opened.use(openFileLooking({ clock: realClock, zone }));
  const searching = opened.use(openFileSearching({ looking, indexFolder, clock: realClock }));
  return { looking, searching };
}

async function confirmed(
  ask: (request: FileRequest) => Promise<FileAnswer>,
  request: FileRequest,
): Promise<FileAnswer> {
  let answer = await ask(request);
  for (let yeses = 0; answer.status === 'confirmation_required' && yeses < 2; yeses++) {
    const { confirmation_token } = answer;
    answer = await ask({ ...request, options: { ...request.options, confirmation_token } });
  }
  return answer;
}

function give(grants: Grants, agent: string, capabilities: readonly string[]) {
  return grants.change(async (_, changes) => {
    const ids: string[] = [];
    for (const capability of capabilities) {
      const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
      ids.push((await changes.give({ principal: `agent:${agent}`, capability, ...facts })).id);
    }
    return ids;
  });
}
