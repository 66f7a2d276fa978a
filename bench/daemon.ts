/** What it costs to start the daemon, by how much has happened before. */
import { get } from 'node:http';
import { join } from 'node:path';
import { startDaemon } from '../tests/support/running-daemon.ts';
import type { Bench, Sides } from './frame.ts';
import { addManyEvents } from './raw-ledger.ts';
import { workplace } from './workplace.ts';

const manyEvents = 1_000_000;

export const daemonBenches: readonly Bench[] = [
  {
    name: 'daemon.start',
    unit: 'ms until ready',
    floorIs: `a home in which nothing has happened, instead of ${manyEvents} events`,
    target: '<=1.5',
    rounds: 21,
    prepare,
  },
];

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const full = join(folder, 'full');
  const empty = join(folder, 'empty');
  for (const home of [full, empty]) await startOnce(home);
  addManyEvents(join(full, 'ledger.db'), manyEvents);
  return {
    value: () => startOnce(full),
    floor: () => startOnce(empty),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

/** How long it takes from the start of the process until /readyz says yes. */
async function startOnce(home: string): Promise<number> {
  const startedAt = performance.now();
  await using daemon = await startDaemon(home);
  await refuseUnlessReady(daemon.socket);
  const tookMs = performance.now() - startedAt;
  await daemon.stop();
  return tookMs;
}

function refuseUnlessReady(socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get({ socketPath, path: '/readyz', agent: false }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`/readyz is answered with ${response.statusCode}`));
    });
    request.on('error', reject);
  });
}
