import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import type { JournalStep } from '../../kernel/journal/step.ts';
import { Followers, type RunEvent } from '../../runtime/followers.ts';
import { GoalWatch } from './goal-watch.ts';

const never = new AbortController().signal;

function watched() {
  const followers = new Followers();
  const clock = new SimulatedClock();
  const watch = new GoalWatch(clock, followers, 'one');
  const show = (...sights: readonly RunEvent[]): void => {
    for (const sight of sights) followers.show('one', sight);
  };
  return { watch, show, clock };
}

const text = (words: string): RunEvent => ({ kind: 'delta', delta: { kind: 'text', text: words } });
const step = (seq: number): RunEvent => {
  const whole: JournalStep = { seq, at: 0, step: { kind: 'checkpoint', why: 'test' } };
  return { kind: 'step', step: whole };
};

test('what is seen comes in order, words with the step behind which they came', async () => {
  const { watch, show } = watched();

  show(step(1), text('a'), step(2), { kind: 'state' });

  expect(await watch.next(1, never)).toEqual({ kind: 'step', seq: 1 });
  const delta = { kind: 'text', text: 'a' };
  expect(await watch.next(1, never)).toEqual({ kind: 'delta', delta, after: 1 });
  expect(await watch.next(1, never)).toEqual({ kind: 'step', seq: 2 });
  expect(await watch.next(1, never)).toEqual({ kind: 'look' });
});

test('words that were not taken yet go together, but not with thoughts or over a step', async () => {
  const { watch, show } = watched();
  const thought: RunEvent = { kind: 'delta', delta: { kind: 'reasoning', text: 'hm' } };

  show(text('a'), text('b'), thought, text('c'), step(1), text('d'));

  const seen = [];
  for (let each = 0; each < 5; each++) seen.push(await watch.next(1, never));
  expect(seen).toMatchObject([
    { delta: { text: 'ab' }, after: 0 },
    { delta: { kind: 'reasoning', text: 'hm' } },
    { delta: { text: 'c' } },
    { kind: 'step' },
    { delta: { text: 'd' }, after: 1 },
  ]);
});

test('what a tool shows goes together by its call and its stream', async () => {
  const { watch, show } = watched();
  const output = (call: string, stream: 'stdout' | 'stderr', words: string): RunEvent => ({
    ...{ kind: 'output', call, tool: 't', stream },
    text: words,
  });

  show(step(1), output('x', 'stdout', 'a'), output('x', 'stdout', 'b'), output('x', 'stderr', 'c'));
  show(output('y', 'stderr', 'd'), { kind: 'dropped', call: 'y', tool: 't' });
  show(output('y', 'stderr', 'e'));

  const seen = [];
  for (let each = 0; each < 6; each++) seen.push(await watch.next(1, never));
  expect(seen.slice(1)).toMatchObject([
    { kind: 'output', call: 'x', stream: 'stdout', text: 'ab', after: 1 },
    { kind: 'output', call: 'x', stream: 'stderr', text: 'c' },
    { kind: 'output', call: 'y', stream: 'stderr', text: 'd' },
    { kind: 'dropped', call: 'y', after: 1 },
    { kind: 'output', call: 'y', stream: 'stderr', text: 'e' },
  ]);
});

test('what a tool shows does not grow without end for who takes nothing', () => {
  const { watch, show } = watched();
  const facts = { kind: 'output', call: 'x', tool: 't', stream: 'stdout' } as const;

  for (let each = 0; each < 40; each++) show({ ...facts, text: 'x'.repeat(50_000) });

  expect(watch.isOverfull).toBe(true);
});

test('what came before the beginning is dropped', async () => {
  const { watch, show, clock } = watched();
  show(text('half an answer'));

  watch.beginBehind(7);

  const next = watch.next(100, never);
  await clock.advance(100);
  expect(await next).toEqual({ kind: 'look' });
  show(text('whole'));
  expect(await watch.next(1, never)).toMatchObject({ after: 7 });
});

test('it wakes who waits', async () => {
  const { watch, show } = watched();
  const next = watch.next(1_000_000, never);

  show(step(3));

  expect(await next).toEqual({ kind: 'step', seq: 3 });
});

test('it does not grow without end for who takes nothing', () => {
  const { watch, show } = watched();

  for (let each = 0; each < 40; each++) show(text('x'.repeat(50_000)));

  expect(watch.isOverfull).toBe(true);
});

test('nothing comes once it is disposed of', async () => {
  const { watch, show, clock } = watched();

  watch[Symbol.dispose]();
  show(step(1));

  const next = watch.next(10, never);
  await clock.advance(10);
  expect(await next).toEqual({ kind: 'look' });
});
