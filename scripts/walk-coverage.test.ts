import { expect, test } from 'vitest';
import {
  inAll,
  inImportOrder,
  type ScriptCoverage,
  together,
  turnOf,
  walkOf,
} from './walk-coverage.ts';

const root = 'file:///house/';

function script(path: string, counts: Readonly<Record<string, number>>): ScriptCoverage {
  const functions = Object.entries(counts).map(([functionName, count], index) => ({
    functionName,
    ranges: [{ startOffset: 100 * index, endOffset: 100 * index + 50, count }],
  }));
  return { url: `${root}${path}`, functions };
}

function turn(files: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(files).map(([file, names]) => [file, new Set(names)]));
}

test('turnOf() counts a file of src/ of which a function ran', () => {
  const found = turnOf(
    [
      script('src/relay/accept.ts', { '': 1, accept: 2, refuse: 0 }),
      script('src/relay/idle.ts', { '': 1, idle: 0 }),
      script('scripts/walk.ts', { '': 1, main: 1 }),
      { url: 'node:fs', functions: [] },
    ],
    root,
  );

  expect(found).toEqual(turn({ 'src/relay/accept.ts': ['accept@100'] }));
});

test('turnOf() does not count a file that was only loaded, but counts a function without a name', () => {
  const nameless = {
    functionName: '',
    ranges: [{ startOffset: 40, endOffset: 60, count: 1 }],
  };
  const loaded = script('src/kernel/loaded.ts', { '': 1 });
  const called = { url: `${root}src/kernel/called.ts`, functions: [nameless] };

  expect([...turnOf([loaded, called], root).keys()]).toEqual(['src/kernel/called.ts']);
});

test('together() joins turns, inAll() keeps what is in each', () => {
  const one = turn({ 'a.ts': ['f', 'g'], 'b.ts': ['h'] });
  const other = turn({ 'a.ts': ['g', 'i'] });

  expect(together([one, other])).toEqual(turn({ 'a.ts': ['f', 'g', 'i'], 'b.ts': ['h'] }));
  expect(inAll([one, other])).toEqual(turn({ 'a.ts': ['g'] }));
});

test('walkOf() orders files by their first turn, and within a turn callers before callees', () => {
  const run = [
    turn({ 'door.ts': ['open'], 'rules.ts': ['check'] }),
    turn({ 'rules.ts': ['check'], 'disk.ts': ['write'], 'accept.ts': ['accept'] }),
  ];
  const order = inImportOrder(
    new Map([
      ['disk.ts', []],
      ['accept.ts', ['disk.ts', 'rules.ts']],
      ['rules.ts', []],
      ['door.ts', ['accept.ts']],
    ]),
  );

  expect(walkOf([run, run], turn({}), order)).toEqual([
    'door.ts',
    'rules.ts',
    'accept.ts',
    'disk.ts',
  ]);
});

test('walkOf() leaves out what ran once by chance, and functions that run when nothing is asked', () => {
  const timer = { 'timer.ts': ['ring'], 'clock.ts': ['sleep', 'now'] };
  const runs = [[turn({ ...timer, 'chance.ts': ['once'] })], [turn(timer)]];
  const idle = turn({ 'timer.ts': ['ring'], 'clock.ts': ['sleep'] });

  expect(walkOf(runs, idle, [])).toEqual(['clock.ts']);
});

test('inImportOrder() has every file before those that it imports', () => {
  const imports = new Map([
    ['a.ts', ['z.ts']],
    ['m.ts', ['a.ts', 'z.ts']],
    ['z.ts', []],
  ]);

  expect(inImportOrder(imports)).toEqual(['m.ts', 'a.ts', 'z.ts']);
});
