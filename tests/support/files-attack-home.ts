/** The real daemon with a file agent over a folder of the test, and agents with their own handles. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { FileAnswer } from '../../src/kernel/files/request.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { type AgentCaller, sharedToolHome } from './tool-home.ts';

export interface FilesAttackHome {
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

/**
 * One daemon for all tests of a file. Each test asks for agents of its own, of whom the `jean` of
 * the first is `jean-1` to the daemon, and finds the root empty and the file agent with no grant
 * of another test.
 */
export function sharedFilesAttackHome(): (...names: readonly string[]) => Promise<FilesAttackHome> {
  const folder = temporaryFolder();
  const root = folder.at('root');
  const agents = sharedToolHome(() => [`filesRoot=${root}`, `trashFolder=${folder.at('Trash')}`]);
  afterAll(() => folder[Symbol.asyncDispose]());
  return async (...names) => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    const { home, client, agent, grant } = await agents(...names);
    await takeBackGrants(client);
    return {
      ...{ folder, home, root, client, agent, grant },
      plant: (path, content = path) => plant(join(root, path), content),
      write: async (name, body) => {
        const answer = await agent(name).client.request({ to: 'file_agent', body });
        // The file agent answers in JSON, and nothing else.
        return JSON.parse(answer.response.body) as FileAnswer;
      },
    };
  };
}

async function takeBackGrants(client: Client): Promise<void> {
  const all = await Array.fromAsync(client.agents());
  if (!all.some(({ name }) => name === 'file_agent')) return;
  const { items } = await client.grants({ agent: 'file_agent' });
  for (const { id, origin } of items) if (origin === 'owner') await client.revoke(id);
}

function plant(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
