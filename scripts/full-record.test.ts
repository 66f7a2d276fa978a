import { expect, test } from 'vitest';
import { withRecord } from './full-record.ts';

const page = `# Title

<!-- full tier: written by npm run test:full -->

| slice   | passed | seconds | day        | tree |
| ------- | ------ | ------- | ---------- | ---- |
| sim.2/4 | 60     | 100     | 2026-01-31 | abc  |

<!-- end -->

More.
`;
const record = { passed: 7, seconds: 9, day: '2026-02-01', tree: 'def' };

test('a slice that was done for the first time gets a row in its place', () => {
  const rows = withRecord(page, 'sim.1/4', record).split('\n').slice(4, 8);

  expect(rows).toEqual([
    '| slice   | passed | seconds | day        | tree |',
    '| ------- | ------ | ------- | ---------- | ---- |',
    '| sim.1/4 | 7      | 9       | 2026-02-01 | def  |',
    '| sim.2/4 | 60     | 100     | 2026-01-31 | abc  |',
  ]);
});

test('a slice that was done again has its row written anew, and the page around it stays', () => {
  const written = withRecord(page, 'sim.2/4', record);

  expect(written).toContain('| sim.2/4 | 7      | 9       | 2026-02-01 | def  |');
  expect(written).not.toContain('abc');
  expect(written.startsWith('# Title\n')).toBe(true);
  expect(written.endsWith('\n\nMore.\n')).toBe(true);
});

test('a page without the table is refused', () => {
  expect(() => withRecord('# Title\n', 'sim.1/4', record)).toThrow('docs/reliability.md');
});
