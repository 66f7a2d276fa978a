import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

test('every bundle that is built goes into the package', () => {
  const built = [...read('scripts/build.ts').matchAll(/outfile: '([^']+)'/g)].map(
    ([, path = '']) => path,
  );
  const { files } = JSON.parse(read('package.json')) as { files: string[] };

  expect(built.length).toBeGreaterThan(3);
  expect(files).toEqual(expect.arrayContaining(built.flatMap((path) => [path, `${path}.map`])));
});
