/** Lists a folder and prints the most memory, in KiB, that it took. */
import { openSync } from 'node:fs';
import { realClock } from '../src/engines/clock.ts';
import { openFileLooking } from '../src/engines/files/looking.ts';

const [folder = '', count] = process.argv.slice(2);
await using looking = openFileLooking({ clock: realClock, zone: 'UTC' });
const { total } = await looking.list(
  {
    base: { held: `/proc/self/fd/${openSync(folder, 'r')}`, path: folder },
    reach: { kind: 'all', aosHome: '/nowhere/.aos', passOverSecrets: false },
    ...{ recursive: true, hidden: true, limit: 1000, passOver: [] },
    filters: { kind: 'any' },
    sort: { by: 'name', order: 'asc' },
  },
  new AbortController().signal,
);
if (total !== Number(count)) throw new Error(`${total} names were seen, and not ${count}`);
process.stdout.write(String(process.resourceUsage().maxRSS));
