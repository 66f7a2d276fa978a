import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import type { GoalEvent } from '../contract/stream-events.ts';
import { type FollowDeps, followGoal } from './follow-stream.ts';
import type { TransportAnswer } from './transport.ts';

const down = new AosError('daemon.down', { message: 'The daemon does not run' });

/** What one connection brings: texts as they come, then its end or a failure. */
type Connection = readonly (string | AosError)[];

function server(connections: readonly Connection[], clock = new SimulatedClock()) {
  const asked: (number | undefined)[] = [];
  const deps: FollowDeps = {
    clock: { ...clockOf(clock) },
    openStream: async (_path, { after }) => {
      const parts = connections[asked.push(after) - 1] ?? [down];
      const [first] = parts;
      if (first instanceof AosError) throw first;
      return answer(parts);
    },
    isPassing: (failure) => failure === down,
    parseJson: (text) => JSON.parse(text),
  };
  return { deps, asked };
}

/** Time that passes by being waited for. */
function clockOf(clock: SimulatedClock) {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async (ms: number) => {
      await clock.advance(ms);
    },
  };
}

function answer(parts: Connection): TransportAnswer {
  return {
    head: { status: 200, headers: new Map() } as never,
    body: (async function* () {
      for (const part of parts) {
        if (part instanceof AosError) throw part;
        yield Buffer.from(part);
      }
    })(),
  };
}

const step = (seq: number) =>
  `id: ${seq}\nevent: step\ndata: ${JSON.stringify({ seq, at: '', kind: 'note', step: {} })}\n\n`;
const state = (now: string) =>
  `event: state\ndata: ${JSON.stringify({ state: now, waits_for: null })}\n\n`;
const end = 'event: end\ndata: {"state":"completed"}\n\n';

function shown(event: GoalEvent): string {
  switch (event.kind) {
    case 'step':
      return `step ${event.step.seq}`;
    case 'delta':
      return event.delta.kind;
    case 'output':
      return `${event.stream} ${event.text}`;
    case 'dropped':
      return `dropped of ${event.tool}`;
    default:
      return `${event.kind} ${event.state}`;
  }
}

async function all({ deps }: ReturnType<typeof server>, after?: number): Promise<string[]> {
  const events = await Array.fromAsync(followGoal(deps, '/follow', { after }));
  return events.map(shown);
}

describe('followGoal()', () => {
  test('hands out what comes, wherever the bytes are cut, and ends with the goal', async () => {
    const delta = 'event: delta\ndata: {"kind":"text","text":"a"}\n\n';
    const facts = '"call":"x","tool":"t"';
    const shown = `event: output\ndata: {${facts},"stream":"stdout","text":"b"}\n\nevent: dropped\ndata: {${facts}}\n\n`;
    const text = step(1) + state('running') + delta + shown + step(2) + state('completed') + end;
    const here = server([[...text]]);

    expect(await all(here)).toEqual([
      ...['step 1', 'state running', 'text', 'stdout b', 'dropped of t', 'step 2'],
      ...['state completed', 'end completed'],
    ]);
  });

  test('goes on behind the last step when the connection breaks, with none left out or twice', async () => {
    const here = server([
      [step(1), step(2), state('running'), down],
      [down],
      // A daemon that repeats itself.
      [step(2), step(3), state('running')],
      [state('completed'), end],
    ]);

    expect(await all(here)).toEqual([
      ...['step 1', 'step 2', 'state running', 'step 3', 'state completed', 'end completed'],
    ]);
    expect(here.asked).toEqual([0, 2, 2, 3]);
  });

  test('begins behind the step that is named', async () => {
    const here = server([[step(5), end]]);

    await all(here, 4);

    expect(here.asked).toEqual([4]);
  });

  test('gives a daemon that stays away up after half a minute', async () => {
    const clock = new SimulatedClock();
    const here = server([[step(1), state('running'), down]], clock);
    const began = clock.monotonicMs();

    await expect(all(here)).rejects.toBe(down);

    expect(clock.monotonicMs() - began).toBeGreaterThan(30_000);
    expect(clock.monotonicMs() - began).toBeLessThan(35_000);
  });

  test('counts the time from when it went away, and not from what was last heard', async () => {
    const clock = new SimulatedClock();
    const here = server([], clock);
    const quiet = async function* () {
      yield Buffer.from(step(1));
      await clock.advance(600_000);
      throw down;
    };
    const { openStream } = here.deps;
    const deps: FollowDeps = {
      ...here.deps,
      openStream: async (path, from) =>
        from.after === 0
          ? { ...answer([]), body: quiet() }
          : here.asked.length < 3
            ? openStream(path, from)
            : answer([end]),
    };

    const events = await Array.fromAsync(followGoal(deps, '/follow'));

    expect(events.map(shown)).toEqual(['step 1', 'end completed']);
  });

  test('throws at once what will not pass', async () => {
    const unknown = new AosError('operation.unknown', { message: 'There is no goal' });
    const here = server([[unknown]]);

    await expect(all(here)).rejects.toBe(unknown);
    expect(here.asked).toHaveLength(1);
  });

  test('stops when it is told to', async () => {
    const here = server([[step(1), down]]);
    const stop = new AbortController();
    const following = followGoal(here.deps, '/follow', { signal: stop.signal });
    await following.next();

    stop.abort(new Error('enough'));

    await expect(following.next()).rejects.toThrow('enough');
  });
});
