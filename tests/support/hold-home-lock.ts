/**
 * A program for tests: takes the lock of a home, prints its epoch, or why it cannot, and
 * keeps it until its input ends. `hold-home-lock.ts HOME [takeover]`
 */

import { takeHomeLock, takeOver } from '../../src/app/home/home-lock.ts';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { realProcesses } from '../../src/engines/process/processes.ts';
import { toReport } from '../../src/kernel/errors.ts';

const [home = '', how] = process.argv.slice(2);
const deps = { disk: realDisk, random: realRandom, processes: realProcesses, clock: realClock };
try {
  const take = how === 'takeover' ? takeOver : takeHomeLock;
  await using lock = await take(deps, home, { holder: 'daemon' });
  process.stdout.write(`held ${lock.epoch}\n`);
  for await (const _ of process.stdin);
} catch (error) {
  process.stdout.write(`${toReport(error).code}\n`);
}
