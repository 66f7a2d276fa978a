import { expect, test } from 'vitest';
import { answer, type Block, branch, callOffset, encode, load } from './bpf.ts';
import { decode, runFilter } from './bpf-machine.ts';

// Longer than a comparison can skip: one comparison and one answer for each number.
const long = (numbers: number, value: number): Block =>
  Array.from({ length: numbers }).reduce<Block>(
    (no, _, index) => branch('jumpIfEqual', 1_000_000 + index, { yes: answer(9), no }),
    answer(value),
  );

const run = (block: Block, number: number) =>
  runFilter([load(callOffset), ...block], { architecture: 0, number, args: [] }).value;

test.each([
  ['short', 3],
  ['as long as a comparison can skip', 127],
  ['longer than a comparison can skip', 128],
  ['very long', 500],
])('branch() finds both ways past a block that is %s', (_length, numbers) => {
  const block = branch('jumpIfAtLeast', 7, { yes: long(numbers, 1), no: long(numbers, 2) });

  expect([run(block, 7), run(block, 8), run(block, 6)]).toEqual([1, 1, 2]);
});

test('branch() compares numbers without a sign', () => {
  const block = branch('jumpIfAtLeast', 0x40000000, { yes: answer(1), no: answer(2) });

  expect([run(block, 0xffffffff), run(block, 0x3fffffff)]).toEqual([1, 2]);
});

test('encode() writes what the kernel calls struct sock_filter', () => {
  const block = branch('jumpIfEqual', 0x12345678, { yes: answer(1), no: answer(0x80000000) });

  const bytes = encode(block);

  expect(Buffer.from(bytes).toString('hex')).toBe(
    ['1500000178563412', '0600000001000000', '0600000000000080'].join(''),
  );
  expect(decode(bytes)).toEqual(block);
});
