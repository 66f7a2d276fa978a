/** The real daemon with a file agent over a folder of the test, and agents with their own handles. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../src/gateway/client.ts';
import type { FileAnswer } from '../../src/kernel/files/request.ts';
import { startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { type AgentCaller, callerOn, grantAll } from './tool-home.ts';

export interface FilesAttackHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  /** What the file agent works in. */
  readonly root: string;
  /** As the owner. */
  readonly client: Client;
  agent(name: string): AgentCaller;
  grant(agent: string, ...capabilities: readonly string[]): Promise<readonly string[]>;
  plant(path: string, content?: string): string;
  /** What file_agent answers to a message of that agent. */
  write(name: string, body: string): Promise<FileAnswer>;
}

export async function filesAttackHome(...names: readonly string[]): Promise<FilesAttackHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const [home, root] = [folder.at('home'), folder.at('root')];
  mkdirSync(root);
  const set = [`filesRoot=${root}`, `trashFolder=${folder.at('Trash')}`];
  const args = set.flatMap((setting) => ['--set', setting]);
  const daemon = opened.use(await startDaemon(home, { args }));
  const { client } = daemon;
  const agents = new Map<string, AgentCaller>();
  for (const name of names) {
    const { handle } = await client.register(name);
    agents.set(name, callerOn(daemon, name, handle));
  }
  const agent = (name: string): AgentCaller => {
    const found = agents.get(name);
    if (found === undefined) throw new Error(`the test has no agent ${name}`);
    return found;
  };
  const kept = opened.move();
  return {
    ...{ folder, home, root, client, agent },
    grant: (name, ...capabilities) => grantAll(client, name, capabilities),
    plant: (path, content = path) => plant(join(root, path), content),
    write: async (name, body) => {
      const answer = await agent(name).client.request({ to: 'file_agent', body });
      // The file agent answers in JSON, and nothing else.
      return JSON.parse(answer.response.body) as FileAnswer;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function plant(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
