/**
 * `npm run walk`: which files of src/ run for one message, one tool call, one transfer and one
 * operation, in the order in which they run.
 *
 *   npm run walk -- [--json] [WAY…]
 *
 * A daemon is opened in this process, from source. Each way is gone once to warm it, then three
 * times under V8's precise coverage, which is read between any two turns of the event loop. A
 * file counts when one of its functions ran each time, unless that function also runs each time
 * that the daemon is left alone for as long. Counted is the side of the daemon and what seals and opens files, from the door to the
 * disk and back; not what calls (src/gateway/client, src/cli). What worker threads run cannot be
 * seen.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { defaultSettings } from '../src/app/config/settings.ts';
import { type DaemonEndpoint, runDaemon } from '../src/app/daemon.ts';
import { composeEngines } from '../src/app/home/compose.ts';
import { AgentTransfer } from '../src/app/library/agent-transfer.ts';
import { version } from '../src/app/version.ts';
import { realClock } from '../src/engines/clock.ts';
import { connectTo } from '../src/gateway/client/client.ts';
import { inboxOf, putIntoOutbox } from '../tests/support/message-files.ts';
import { importsOf, readSources } from '../tests/support/source-rules.ts';
import { temporaryFolder } from '../tests/support/temporary-folder.ts';
import { commandLine, root, say } from './run-tool.ts';
import { inAll, inImportOrder, type Turn, together, turnOf, walkOf } from './walk-coverage.ts';

const { values: options, positionals: wanted } = commandLine({
  json: { type: 'boolean', default: false },
});

const measuredRuns = 3;
const restMs = 400;
const notCounted = /^src\/(?:gateway\/client|cli)\//;

type Way = () => Promise<void>;

async function main(): Promise<number> {
  await using folder = temporaryFolder();
  const script = folder.at('script.json');
  writeFileSync(script, JSON.stringify({ scripted_model: 1, turns }));
  const stop = new AbortController();
  const { address, ended } = await startHere(folder.at('home'), script, stop.signal);
  try {
    const ways = await waysOf(address, folder.at('work'));
    const unknown = wanted.find((name) => ways[name] === undefined);
    if (unknown !== undefined) {
      say(`There is no way "${unknown}": ${Object.keys(ways).join(', ')}`);
      return 2;
    }
    const walks = await walkAll(ways);
    say(options.json ? JSON.stringify(walks) : inWords(walks));
    return 0;
  } finally {
    stop.abort();
    await ended;
    process.chdir(root);
  }
}

/** What the agent of an operation does. */
const turns = [
  { call: [{ tool: 'artifact.create', args: { name: 'report.md', content: '# Report\n' } }] },
  { say: 'The report is written.' },
];

interface Started {
  readonly address: DaemonEndpoint;
  readonly ended: Promise<void>;
}

function startHere(home: string, script: string, signal: AbortSignal): Promise<Started> {
  const settings = { ...defaultSettings, home, port: 0, defaultModel: `scripted:${script}` };
  return new Promise((resolve, reject) => {
    const ended = runDaemon(composeEngines(), settings, {
      ...{ takeover: false, environment: {}, signal },
      onReady: (address) => resolve({ address, ended }),
    });
    ended.catch(reject);
  });
}

/** The four ways through the house. */
async function waysOf(
  { home, socket }: DaemonEndpoint,
  work: string,
): Promise<Readonly<Record<string, Way>>> {
  mkdirSync(work);
  const file = join(work, 'note.txt');
  writeFileSync(file, 'A note.\n');
  const owner = { socketPath: socket };
  const register = (name: string) => call(owner, 'POST', '/agents', { name });
  const { handle } = await register('samantha');
  await register('jared');
  await call(owner, 'POST', '/grants', { agent: 'samantha', capability: `file:${work}/**:read` });
  const agentSocket = join(home, 'run', 'agents', 'samantha.sock');
  const agent = { socketPath: agentSocket, handle: String(handle) };
  return {
    message: () => message(home),
    'tool call': async () => {
      await call(agent, 'POST', '/tools/file.read/call', { args: { path: file } });
    },
    transfer: transferOf(socket, work),
    operation: () => operation(owner),
  };
}

/** A file in an outbox becomes a file in an inbox. */
async function message(home: string): Promise<void> {
  const inbox = inboxOf(home, 'jared');
  const before = readdirSync(inbox).length;
  putIntoOutbox(home, 'samantha', 'TO: jared\n\nPlease look at the build.\n');
  while (readdirSync(inbox).length === before) await nextTurn();
}

/** The owner sends a file for one agent, and takes it out for the other. */
function transferOf(socket: string, work: string): Way {
  const client = connectTo({ clock: realClock, version }, socket);
  const [sender, recipient] = ['samantha', 'jared'].map(
    (name) => new AgentTransfer({ sender: name, use: (job) => job(client) }),
  );
  let count = 0;
  return async () => {
    count += 1;
    const [file, dest] = [join(work, `sent-${count}.txt`), join(work, `taken-${count}`)];
    writeFileSync(file, `File number ${count}.\n`);
    mkdirSync(dest);
    const [sent] = (await sender?.send(file, { to: 'jared' }))?.transfers ?? [];
    await recipient?.download(sent?.id ?? '', { dest });
  };
}

/** The owner submits it, waits for its end and takes its one artifact. */
async function operation(owner: Door): Promise<void> {
  const { id } = await call(owner, 'POST', '/operations', { goal: 'Write a report.' });
  const path = `/operations/${id}`;
  for (;;) {
    const { status } = await call(owner, 'GET', path);
    if (status === 'succeeded') break;
    if (status === 'failed') throw new Error('the operation failed');
    await sleep(20);
  }
  await call(owner, 'GET', `${path}/artifacts/report.md`);
}

interface Door {
  readonly socketPath: string;
  readonly handle?: string;
}

/** One request on a connection of its own; the answer where it is JSON. */
function call(
  { socketPath, handle }: Door,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(handle === undefined ? {} : { authorization: `Bearer ${handle}` }),
  };
  const where = { socketPath, path: `/api/v1${path}`, method, headers, agent: false };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(where, async (response) => {
      const bytes = Buffer.concat(await Array.fromAsync(response));
      const isJson = response.headers['content-type']?.includes('json') === true;
      if ((response.statusCode ?? 500) >= 300) {
        reject(new Error(`${method} ${path} answered ${response.statusCode}: ${bytes}`));
      } else resolve(isJson ? JSON.parse(bytes.toString()) : {});
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

type Walks = Readonly<Record<string, readonly string[]>>;

async function walkAll(ways: Readonly<Record<string, Way>>): Promise<Walks> {
  const order = importOrder();
  const coverage = new Coverage();
  const chosen = Object.entries(ways).filter(
    ([name]) => wanted.length === 0 || wanted.includes(name),
  );
  const walks: Record<string, readonly string[]> = {};
  for (const [name, way] of chosen) {
    await way();
    const runs = await repeat(() => coverage.during(way));
    const { tookMs } = coverage;
    const idle = await repeat(() => coverage.during(() => sleep(tookMs)));
    const walk = walkOf(runs, inAll(idle.map(together)), order);
    walks[name] = walk.filter((file) => !notCounted.test(file));
  }
  return walks;
}

/** Each time after a rest, so that what the one before has left to be done is not counted. */
async function repeat<T>(measure: () => Promise<T>): Promise<T[]> {
  const measured: T[] = [];
  for (let run = 0; run < measuredRuns; run++) {
    await sleep(restMs);
    measured.push(await measure());
  }
  return measured;
}

function importOrder(): string[] {
  const imports = readSources(root).map((source) => {
    const targets = importsOf(source).flatMap(({ target }) => target ?? []);
    return [source.path, targets] as const;
  });
  return inImportOrder(new Map(imports));
}

/** V8's counts of this thread, read turn by turn. */
class Coverage {
  readonly #session = new Session();
  /** How long the last work took. */
  tookMs = 0;
  readonly #root = `${pathToFileURL(root).href}/`;

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** What ran in each turn of the event loop, from now until the work is done. */
  async during(work: () => Promise<unknown>): Promise<Turn[]> {
    const startedAt = performance.now();
    this.#take();
    const found: Turn[] = [];
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      found.push(this.#take());
      await nextTurn();
    }
    await done;
    found.push(this.#take());
    this.tookMs = performance.now() - startedAt;
    return found.filter((turn) => turn.size > 0);
  }

  /** Sets the counts back to zero. On its own thread, a session answers before post() returns. */
  #take(): Turn {
    let turn: Turn = new Map();
    this.#session.post('Profiler.takePreciseCoverage', (failure, taken) => {
      if (failure !== null) throw failure;
      turn = turnOf(taken.result, this.#root);
    });
    return turn;
  }
}

function inWords(walks: Walks): string {
  const head =
    'Files of src/ that run on the side of the daemon, from the door to the disk and back.\n' +
    'What calls (src/gateway/client, src/cli) is not counted; what threads run cannot be seen.';
  const parts = Object.entries(walks).map(
    ([name, files]) => `${name}: ${files.length}\n${files.map((file) => `  ${file}`).join('\n')}`,
  );
  return [head, ...parts].join('\n\n');
}

process.exitCode = await main();
