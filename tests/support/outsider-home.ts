/**
 * A real daemon whose agents follow scripts, for outsiders who submit operations. An agent asks
 * a server of the test where it works (tools that write take whole paths), and waits there for
 * as long as the test wants.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../src/gateway/contract/contract.ts';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import { pathsBelow, unlessGone } from './canary.ts';
import type { Grantee, GranteeAnswer } from './grantee.ts';
import { webServer } from './http-world.ts';
import { limitMs } from './limits.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

export type WireOperation = Answer<'operation'>;
export type WireArtifact = WireOperation['artifacts']['artifacts'][number];
export type Turns = NonNullable<ScriptText['turns']>;

export interface OutsiderHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  daemon: RunningDaemon;
  /** Of the daemon that runs now. */
  readonly base: string;
  /** Starts another one where the one before is gone, on its port. */
  start(settings?: HomeSettings): Promise<void>;
  /** A template of that name, whose agents follow these turns. Another name each time. */
  template(name: string, turns: Turns, grants?: readonly string[]): void;
  /** The turn in which an agent of that template asks where it works: its result has `body`. */
  asks(template: string, place?: string): Turns[number];
  /** Agents of that template wait where they ask at that place, until they are let go. */
  hold(template: string, place?: string): HeldAgents;
  /** By the owner; the id of the grant. */
  grant(grantee: Grantee, capability?: string): Promise<string>;
  submit(grantee: Grantee, template: string, goal?: string): Promise<WireOperation>;
  /** Until it is over. */
  settled(grantee: Grantee, id: string): Promise<WireOperation>;
  run(grantee: Grantee, template: string, goal?: string): Promise<WireOperation>;
  download(grantee: Grantee, artifact: WireArtifact): Promise<GranteeAnswer>;
  /** Downloaded and opened. */
  read(grantee: Grantee, artifact: WireArtifact): Promise<Buffer>;
}

export interface HeldAgents {
  /** Resolves with the workspace once one of them asks. */
  readonly asked: Promise<string>;
  letGo(): void;
}

/** By their names in the configuration. */
export type HomeSettings = Readonly<Record<string, number | string | boolean>>;

export async function outsiderHome(first: HomeSettings = {}): Promise<OutsiderHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const home = folder.at('home');
  const held = new Map<string, Gate>();
  const server = opened.use(
    await webServer(async ({ url = '' }, response) => {
      const [, template = ''] = /^\/([^?]+)/.exec(url) ?? [];
      const workspace = workspaceOf(home, template);
      await held.get(url)?.pass(workspace);
      response.end(workspace);
    }),
  );
  const start = (settings: HomeSettings, port = '0') =>
    startDaemon(home, { args: ['--port', port, ...argsOf(settings)] });
  const template: OutsiderHome['template'] = (name, turns, grants = []) => {
    const script = folder.at(`${name}.json`);
    writeFileSync(script, JSON.stringify({ scripted_model: 1, turns }));
    mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 });
    const all = ['file:{workspace}/**:read,write', `http:127.0.0.1:${server.port}/*:*`, ...grants];
    const file = { name, model: `scripted:${script}`, instructions: 'Work.', grants: all };
    writeFileSync(join(home, 'templates', `${name}.json`), JSON.stringify(file));
  };
  const opening: OutsiderHome = {
    ...{ folder, home, template, daemon: await start(first) },
    get base() {
      return opening.daemon.url;
    },
    async start(settings = first) {
      opening.daemon = await start(settings, new URL(opening.daemon.url).port);
    },
    asks: (name, place = '') => {
      const url = `http://127.0.0.1:${server.port}/${name}?${place}`;
      return { call: [{ tool: 'http.fetch', args: { url } }] };
    },
    hold(name, place = '') {
      const gate = new Gate();
      held.set(`/${name}?${place}`, gate);
      return gate;
    },
    async grant(grantee, capability = 'operation:*:start') {
      const { client } = opening.daemon;
      return (await client.grant({ agent: grantee.address, capability })).id;
    },
    async submit(grantee, agent, goal = 'write the report') {
      const uri = '/api/v1/operations';
      const request = { method: 'POST', uri, body: { goal, agent } };
      return good<WireOperation>(await grantee.call(opening.base, request), 201);
    },
    settled: (grantee, id) => settled(opening, grantee, id),
    async run(grantee, agent, goal) {
      const { id } = await opening.submit(grantee, agent, goal);
      return settled(opening, grantee, id);
    },
    download: (grantee, { download_url: uri }) => grantee.call(opening.base, { uri }),
    async read(grantee, artifact) {
      const answer = await opening.download(grantee, artifact);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      const key = String(answer.headers['x-artifact-key']);
      return grantee.open({ bytes: answer.bytes, key, id: artifact.id });
    },
    async [Symbol.asyncDispose]() {
      for (const gate of held.values()) gate.letGo();
      await opening.daemon.kill();
      await kept.disposeAsync();
    },
  };
  const kept = opened.move();
  return opening;
}

function argsOf(settings: HomeSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

/** The one agent that was made from it. */
function workspaceOf(home: string, template: string): string {
  const agents = readdirSync(join(home, 'agents'));
  const own = agents.filter((name) => name.startsWith(`${template}-`));
  if (own.length !== 1) throw new Error(`there are ${own.length} agents of ${template}`);
  return join(realpathSync(home), 'agents', own[0] ?? '', 'workspace');
}

async function settled(
  { base }: Pick<OutsiderHome, 'base'>,
  grantee: Grantee,
  id: string,
): Promise<WireOperation> {
  return until(async () => {
    const answer = await grantee.call(base, { uri: `/api/v1/operations/${id}` });
    const operation = good<WireOperation>(answer, 200);
    if (operation.status !== 'pending' && operation.status !== 'running') return operation;
    throw new Error(`still ${operation.status}: ${answer.text}`);
  }, limitMs(30_000));
}

/** Throws with what was said instead. */
export function good<T>(answer: GranteeAnswer, status: number): T {
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`);
  // The route's own form.
  return JSON.parse(answer.text) as T;
}

/** Every file below it, with its path from there on; also while files and folders come and go. */
export function filesBelow(folder: string): readonly string[] {
  return pathsBelow(folder)
    .map((path) => path.slice(folder.length + 1))
    .toSorted();
}

/** Every file below it with its bytes, but for one that goes while it is looked at. */
export function contentsOf(folder: string): readonly (readonly [file: string, bytes: Buffer])[] {
  return filesBelow(folder).flatMap((file) =>
    unlessGone(() => [[file, readFileSync(join(folder, file))] as const]),
  );
}

class Gate implements HeldAgents {
  readonly #asked = Promise.withResolvers<string>();
  readonly #open = Promise.withResolvers<void>();

  get asked(): Promise<string> {
    return this.#asked.promise;
  }

  letGo(): void {
    this.#open.resolve();
  }

  async pass(workspace: string): Promise<void> {
    this.#asked.resolve(workspace);
    await this.#open.promise;
  }
}
