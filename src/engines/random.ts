import type { Random } from '../kernel/ports.ts';

// One call of the system's generator costs as much for a page as for a few bytes.
const pageBytes = 4096;
const largestFromPage = 64;

let page: Uint8Array = new Uint8Array(0);
let used = 0;

/** The system's own generator. No byte is handed out twice. */
export const realRandom: Random = {
  bytes(size) {
    if (size > largestFromPage) return fresh(size);
    if (used + size > page.length) {
      page = fresh(pageBytes);
      used = 0;
    }
    const bytes = page.slice(used, used + size);
    page.fill(0, used, used + size);
    used += size;
    return bytes;
  },
};

// Asked for when first needed: loading node:crypto is a fifth of a short command's time,
// and most commands throw no dice.
function fresh(size: number): Uint8Array {
  return new Uint8Array(process.getBuiltinModule('node:crypto').randomBytes(size));
}
