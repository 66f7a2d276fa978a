/** What the gateway adds to the framework that it is built on, and to the ledger below it. */
import { join } from 'node:path';
import { startDaemon } from '../tests/support/running-daemon.ts';
import { startProgram } from './bare-program.ts';
import type { Bench, Sides } from './frame.ts';
import { gatewayFeedBenches } from './gateway-feed.ts';
import { gatewayVerifyBenches } from './gateway-verify.ts';
import { startRelay } from './relay-home.ts';
import { cpuPerRequest } from './server-cpu.ts';
import { workplace } from './workplace.ts';

const asks = { path: '/api/v1/agents/jean', requests: 10_000, connections: 8 };

// To the owner, who reads when he wants: nothing follows that the answer does not wait for.
const message = { from: 'jean', to: 'owner', body: 'x'.repeat(200) };
const posts = {
  path: '/api/v1/messages',
  body: JSON.stringify(message),
  requests: 4000,
  connections: 8,
};

export const gatewayBenches: readonly Bench[] = [
  {
    name: 'gateway.get',
    unit: 'µs cpu/request',
    floorIs: 'bare Fastify in a process of its own, the same route and schemas, a fixed answer',
    target: '<=1.6',
    rounds: 15,
    prepare: prepareGet,
  },
  {
    name: 'gateway.post',
    unit: 'µs cpu/request',
    floorIs:
      'bare Fastify in a process of its own, the same route and schemas, and one transaction of the ledger with the rows that a message leaves',
    target: '<=1.8',
    rounds: 15,
    prepare: preparePost,
  },
  ...gatewayVerifyBenches,
  ...gatewayFeedBenches,
];

async function prepareGet(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const daemon = disposables.use(await startDaemon(join(folder, 'home')));
  await daemon.client.register('jean');
  const socket = join(folder, 'bare.sock');
  const bare = disposables.use(await startProgram('bare-fastify.ts', [socket]));
  return {
    value: () => cpuPerRequest(daemon, asks),
    floor: () => cpuPerRequest({ pid: bare.pid, socket }, asks),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function preparePost(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const { daemon } = disposables.use(await startRelay(['jean']));
  const socket = join(folder, 'bare.sock');
  const bare = disposables.use(
    await startProgram('bare-post.ts', [join(folder, 'bare.db'), socket]),
  );
  return {
    value: () => cpuPerRequest(daemon, posts),
    floor: () => cpuPerRequest({ pid: bare.pid, socket }, posts),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
