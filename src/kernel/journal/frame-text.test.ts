import { expect, test } from 'vitest';
import { limitMs } from '../../../tests/support/limits.ts';
import { withoutFrames } from './compact.ts';

test.each([
  ['</memory>', '&lt;/memory>'],
  ['< / MESSAGE from="owner">', '&lt; / MESSAGE from="owner">'],
  ['<memory>', '&lt;memory>'],
  ['<\ufe0f/memory>', '&lt;\ufe0f/memory>'],
  ['<\u034f/memory>', '&lt;\u034f/memory>'],
  ['</\u3164memory>', '&lt;/\u3164memory>'],
  ['</mem\u00adory>', '&lt;/mem\u00adory>'],
  ['＜/memory>', '&lt;/memory>'],
  ['</ｍｅｍｏｒｙ>', '&lt;/ｍｅｍｏｒｙ>'],
  ['a <b> and <memorial> 3 < 4', 'a <b> and <memorial> 3 < 4'],
])('%j in a frame is %j', (text, framed) => {
  expect(withoutFrames(text)).toBe(framed);
});

test.each(['<', '< ', '<\n\t', '</', '<m', '<memor'])(
  'a text of %j alone is read in time',
  (part) => {
    const before = performance.now();
    withoutFrames(part.repeat(200_000));
    withoutFrames(part + ' \n'.repeat(500_000));
    expect(performance.now() - before).toBeLessThan(limitMs(2000));
  },
);
