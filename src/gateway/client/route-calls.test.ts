import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientFiles } from '../../../scripts/client-calls.ts';

test.each(Object.entries(clientFiles()))(
  '%s is what the verbs say (npm run fix writes it)',
  (path, text) => {
    const root = join(import.meta.dirname, '..', '..', '..');

    const committed = readFileSync(join(root, path), 'utf8');

    expect(withoutLayout(committed)).toBe(withoutLayout(text));
  },
);

/** Without what the formatter decides. */
function withoutLayout(code: string): string {
  return code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)}\]])/g, '');
}
