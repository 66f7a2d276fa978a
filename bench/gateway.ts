/** What the gateway adds to the framework that it is built on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startDaemon } from '../tests/support/running-daemon.ts';
import type { Bench, Sides } from './frame.ts';
import { cpuPerRequest, type Server } from './server-cpu.ts';
import { workplace } from './workplace.ts';

const load = { path: '/api/v1/agents/jean', requests: 10_000, connections: 8 };

export const gatewayBenches: readonly Bench[] = [
  {
    name: 'gateway.get',
    unit: 'µs cpu/request',
    floorIs: 'bare Fastify in a process of its own, the same route and schemas, a fixed answer',
    target: '<=1.6',
    rounds: 15,
    prepare,
  },
];

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const daemon = disposables.use(await startDaemon(join(folder, 'home')));
  await daemon.client.register('jean');
  const bare = disposables.use(await startBare(join(folder, 'bare.sock')));
  return {
    value: () => cpuPerRequest(daemon, load),
    floor: () => cpuPerRequest(bare, load),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function startBare(socket: string): Promise<Server & AsyncDisposable> {
  const program = join(import.meta.dirname, 'bare-fastify.ts');
  const child = spawn(process.execPath, [program, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const ready = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
  if (ready === undefined || child.pid === undefined) throw new Error('bare Fastify did not start');
  return {
    pid: child.pid,
    socket,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
