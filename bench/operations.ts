/** What it costs to have what an operation made. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningDaemon, startDaemon } from '../tests/support/running-daemon.ts';
import { startProgram } from './bare-program.ts';
import type { Bench, Sides } from './frame.ts';
import { workplace } from './workplace.ts';

const megabytes = 100;
const command = `head -c ${megabytes * 1_000_000} /dev/urandom > artifacts/large.bin`;

export const operationBenches: readonly Bench[] = [
  {
    name: 'operations.download',
    unit: 'MB/s',
    floorIs: 'bare Fastify in a process of its own, a stream of the same sealed file',
    target: '>=0.7',
    rounds: 15,
    prepare,
  },
];

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const home = join(folder, 'home');
  const args = ['--set', `defaultModel=scripted:${writeScript(folder)}`];
  const daemon = disposables.use(await startDaemon(home, { args }));
  writeTemplate(home);
  const id = await makeArtifact(daemon);
  const file = join(home, 'artifacts', 'operations', id, 'artifacts', 'large.bin.enc');
  // Its files follow its end.
  while (!existsSync(file)) await sleep(50);
  const bare = join(folder, 'bare.sock');
  disposables.use(await startProgram('bare-file.ts', [file, bare]));
  const path = `/api/v1/operations/${id}/artifacts/large.bin`;
  return {
    value: () => download(daemon.socket, path),
    floor: () => download(bare, '/file'),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

function writeScript(folder: string): string {
  const path = join(folder, 'script.json');
  const call = { tool: 'shell.execute', args: { command: command } };
  const turns = [{ call: [call] }, { say: 'done' }];
  writeFileSync(path, JSON.stringify({ scripted_model: 1, name: 'maker', turns }));
  return path;
}

function writeTemplate(home: string): void {
  const grants = ['file:{workspace}/**:read,write', 'shell:*:execute'];
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 });
  const template = { name: 'maker', instructions: 'Make it.', grants };
  writeFileSync(join(home, 'templates', 'maker.json'), JSON.stringify(template));
}

async function makeArtifact({ client }: RunningDaemon): Promise<string> {
  const { operation } = await client.submitGoal({ goal: 'Make it.', agent: 'maker' });
  for (;;) {
    const { state, error } = await client.goal(operation);
    if (state === 'completed') break;
    if (error !== null) throw new Error(error.message);
    await sleep(50);
  }
  return operation;
}

/** MB a second, until the last byte was there. */
function download(socketPath: string, path: string): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = get({ socketPath, path, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
        resolve(bytes / 1000 / (performance.now() - startedAt));
      });
    });
    request.on('error', reject);
  });
}
