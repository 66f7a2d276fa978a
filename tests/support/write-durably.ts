/** A program for tests: writes that many bytes to a path, and prints why when it cannot. */

import { realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { writeFileDurably } from '../../src/kernel/disk/durable-file.ts';
import { toReport } from '../../src/kernel/errors.ts';

const [path = '', size] = process.argv.slice(2);
try {
  const deps = { disk: realDisk, random: realRandom };
  await writeFileDurably(deps, path, new Uint8Array(Number(size)));
} catch (error) {
  process.stdout.write(`${toReport(error).code}\n`);
}
