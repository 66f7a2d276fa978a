import { expect, test } from 'vitest';
import { inOrder, straight } from './order.ts';
import type { MoveStep } from './plan.ts';

const was = { kind: 'file', device: '1', inode: '1', sizeBytes: 0, modifiedNs: '0', mode: 0o600 };

function move(from: string, to: string): MoveStep {
  return { do: 'move', from, to, was: { ...was, kind: 'file' } };
}

/** What stands under each name after the moves; throws where one would take a name. */
function played(moves: readonly MoveStep[], names: readonly string[]): Record<string, string> {
  const files = new Map(names.map((name) => [name, name]));
  for (const { from, to } of inOrder(moves, (path, number) => `${path}~${number}`)) {
    const file = files.get(from);
    if (file === undefined || files.has(to)) throw new Error(`${from} → ${to} cannot be`);
    files.delete(from);
    files.set(to, file);
  }
  return Object.fromEntries(files);
}

test('moves that have nothing to do with each other stay in their order', () => {
  const moves = [move('/a', '/x'), move('/b', '/y')];

  expect(inOrder(moves, String)).toEqual(moves);
});

test('a chain is done from its end', () => {
  const moves = [move('/a', '/b'), move('/b', '/c'), move('/c', '/d')];

  expect(played(moves, ['/a', '/b', '/c'])).toEqual({ '/b': '/a', '/c': '/b', '/d': '/c' });
});

test('two that change places do', () => {
  const moves = [move('/a', '/b'), move('/b', '/a')];

  expect(played(moves, ['/a', '/b'])).toEqual({ '/a': '/b', '/b': '/a' });
});

test('circles and chains beside each other all come out right', () => {
  const moves = [
    ...[move('/1', '/2'), move('/2', '/3'), move('/3', '/1')],
    ...[move('/p', '/q'), move('/q', '/p'), move('/m', '/n'), move('/l', '/m')],
  ];

  expect(played(moves, ['/1', '/2', '/3', '/p', '/q', '/m', '/l'])).toEqual({
    ...{ '/1': '/3', '/2': '/1', '/3': '/2', '/p': '/q', '/q': '/p', '/n': '/m', '/m': '/l' },
  });
});

test('a swap is told without the name in between, and a name that only looks like one stays', () => {
  const between = (path: string) => `${path}/.aos-swap-1.tmp`;
  const swap = inOrder([move('/r/1', '/r/2'), move('/r/2', '/r/1')], between);
  const other = move('/r/3', '/r/.aos-swap-mine');

  const told = straight([...swap, other]).map((step) => ('to' in step ? step.to : ''));

  expect(swap).toHaveLength(3);
  expect(told).toEqual(['/r/2', '/r/1', '/r/.aos-swap-mine']);
});
