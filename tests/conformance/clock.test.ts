import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import type { Clock } from '../../src/kernel/ports.ts';
import { SimulatedClock } from '../sim/clock.ts';

interface ClockForm {
  readonly form: string;
  /** `pass` lets time go by; the real one needs no help. */
  open(): { clock: Clock; pass(durationMs: number): Promise<void> };
}

const forms: readonly ClockForm[] = [
  { form: 'real', open: () => ({ clock: realClock, pass: async () => {} }) },
  {
    form: 'simulated',
    open: () => {
      const clock = new SimulatedClock();
      return { clock, pass: (durationMs) => clock.advance(durationMs) };
    },
  },
];

describe.each(forms)('the $form clock', ({ open }) => {
  test('tells the wall time in whole milliseconds of this century', () => {
    const { clock } = open();

    expect(Number.isInteger(clock.now())).toBe(true);
    expect(new Date(clock.now()).getUTCFullYear()).toBeGreaterThanOrEqual(2025);
  });

  test('sleeps at least as long as asked, on the monotonic clock', async () => {
    const { clock, pass } = open();
    const before = clock.monotonicMs();
    const sleep = clock.sleep(7.5);

    await pass(8);
    await sleep;

    expect(clock.monotonicMs() - before).toBeGreaterThanOrEqual(7.5);
  });

  test('wakes sleepers in the order in which they are due', async () => {
    const { clock, pass } = open();
    const woken: string[] = [];
    const sleeps = [
      clock.sleep(40).then(() => woken.push('later')),
      clock.sleep(5).then(() => woken.push('sooner')),
    ];

    await pass(40);
    await Promise.all(sleeps);

    expect(woken).toEqual(['sooner', 'later']);
  });

  test.each([0, -5])('does not wait when asked to sleep for %i ms', async (durationMs) => {
    const { clock } = open();

    await expect(clock.sleep(durationMs)).resolves.toBeUndefined();
  });

  test('rejects a sleep with the reason of a signal that is aborted already', async () => {
    const { clock } = open();
    const reason = new Error('no time');

    await expect(clock.sleep(0, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(clock.sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('rejects a sleep with the reason of a signal that aborts meanwhile', async () => {
    const { clock } = open();
    const stop = new AbortController();
    const reason = new Error('enough');
    const sleep = clock.sleep(3_600_000, stop.signal);

    stop.abort(reason);

    await expect(sleep).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('leaves nothing on the signal of a sleep that ended by itself', async () => {
    const { clock, pass } = open();
    const { signal } = new AbortController();
    const sleep = clock.sleep(1, signal);

    await pass(1);
    await sleep;

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('sleeps on beyond the 31 bits of a Node timer', async () => {
    const { clock, pass } = open();
    const stop = new AbortController();
    // Node warns when it cuts a timer that is too long down to one millisecond.
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const long = clock.sleep(2 ** 40, stop.signal).then(
      () => 'woke',
      () => 'still asleep when stopped',
    );
    const short = clock.sleep(20);

    await pass(20);
    await short;
    stop.abort();
    process.off('warning', onWarning);

    expect(await long).toBe('still asleep when stopped');
    expect(warnings).toEqual([]);
  });
});

describe('the simulated clock', () => {
  test('stands still until it is advanced', async () => {
    const clock = new SimulatedClock();
    const before = { wall: clock.now(), monotonic: clock.monotonicMs() };

    await clock.advance(1500);

    expect(clock.now() - before.wall).toBe(1500);
    expect(clock.monotonicMs() - before.monotonic).toBe(1500);
  });

  test('moves only the wall time in a jump, and wakes nobody', async () => {
    const clock = new SimulatedClock();
    const before = { wall: clock.now(), monotonic: clock.monotonicMs() };
    void clock.sleep(1000); // Never awaited: it must still be asleep at the end.

    clock.jump(-86_400_000);
    await clock.advance(0);

    expect(clock.now() - before.wall).toBe(-86_400_000);
    expect(clock.monotonicMs()).toBe(before.monotonic);
    expect(clock.sleeping).toBe(1);
  });

  test('wakes each sleeper at its own moment, and again when it goes back to sleep', async () => {
    const clock = new SimulatedClock();
    const start = clock.monotonicMs();
    const woken: string[] = [];
    const rest = async (name: string, durationMs: number): Promise<void> => {
      for (let nap = 0; nap < 3; nap++) {
        await clock.sleep(durationMs);
        woken.push(`${name} ${clock.monotonicMs() - start}`);
      }
    };
    const naps = [rest('a', 20), rest('b', 30)];

    await clock.advance(90);
    await Promise.all(naps);

    expect(woken).toEqual(['a 20', 'b 30', 'a 40', 'b 60', 'a 60', 'b 90']);
  });

  test('keeps no sleeper that was aborted', async () => {
    const clock = new SimulatedClock();
    const stop = new AbortController();
    const sleep = clock.sleep(10, stop.signal);

    stop.abort();

    await expect(sleep).rejects.toBe(stop.signal.reason);
    expect(clock.sleeping).toBe(0);
  });
});
