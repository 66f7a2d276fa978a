import type { Random } from '../../kernel/ports.ts';

export const realRandom: Random = {
  // Asked for when first needed: loading node:crypto is a fifth of a short command's
  // time, and most commands throw no dice.
  bytes: (size) => process.getBuiltinModule('node:crypto').randomBytes(size),
};
