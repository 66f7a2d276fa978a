import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { Followers, type RunEvent } from '../followers.ts';
import { OutputShow } from './run-journal.ts';

function shows() {
  const clock = new SimulatedClock();
  const followers = new Followers();
  const sights: RunEvent[] = [];
  followers.follow('one', (sight) => sights.push(sight));
  return { clock, sights, show: new OutputShow({ clock, followers }, 'one') };
}

const stdout = (bytes: string | Uint8Array) =>
  ({ stream: 'stdout', bytes: Buffer.from(bytes) }) as const;

function charactersIn(sights: readonly RunEvent[]): number {
  return sights.reduce((sum, sight) => sum + (sight.kind === 'output' ? sight.text.length : 0), 0);
}

describe('OutputShow', () => {
  test('shows text with the call that it is of', () => {
    const { show, sights } = shows();
    const call = show.of({ call: 'x', tool: 'shell.execute' });

    call.take(stdout('grüß\n'));

    const facts = { call: 'x', tool: 'shell.execute', stream: 'stdout' };
    expect(sights).toEqual([{ kind: 'output', ...facts, text: 'grüß\n' }]);
  });

  test('shows characters whole, and what is no text as what it cannot show', () => {
    const { show, sights } = shows();
    const call = show.of({ call: 'x', tool: 't' });
    const smile = Buffer.from('\u{1f600}');

    call.take(stdout(smile.subarray(0, 1)));
    call.take(stdout(smile.subarray(1)));
    call.take(stdout(new Uint8Array([0xff])));
    call.take(stdout(smile.subarray(0, 1)));
    call.end();

    expect(sights.map((sight) => 'text' in sight && sight.text)).toEqual([
      ...['\u{1f600}', '\ufffd', '\ufffd'],
    ]);
  });

  test('shows at most 64 KiB a second of one operation, and says once that there was more', async () => {
    const { show, sights, clock } = shows();
    const call = show.of({ call: 'x', tool: 't' });

    for (let part = 0; part < 100; part++) call.take(stdout('x'.repeat(10_000)));

    expect(charactersIn(sights)).toBeLessThanOrEqual(64 * 1024);
    expect(charactersIn(sights)).toBeGreaterThan(60 * 1024);
    expect(sights.filter(({ kind }) => kind === 'dropped')).toEqual([
      { kind: 'dropped', call: 'x', tool: 't' },
    ]);
    await clock.advance(1000);
    sights.length = 0;
    call.take(stdout('more'));
    show.of({ call: 'y', tool: 't' }).take(stdout('y'.repeat(100_000)));
    expect(charactersIn(sights)).toBeLessThanOrEqual(64 * 1024);
    expect(sights.filter(({ kind }) => kind === 'dropped')).toMatchObject([{ call: 'y' }]);
  });

  test('shows nothing of a call that is over', () => {
    const { show, sights } = shows();
    const call = show.of({ call: 'x', tool: 't' });

    call.end();
    call.take(stdout('late'));

    expect(sights).toEqual([]);
  });
});
