import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import { type FollowDeps, followOperation } from './follow-stream.ts';

const log = (number: number) => `id: ${number}\nevent: log\ndata: "line ${number}"\n\n`;
const state = (status: string) => `event: state\ndata: {"status":"${status}"}\n\n`;
const end = 'event: end\ndata: {"status":"succeeded"}\n\n';

/** Connections, each with what comes over it before it is cut; or why there is none. */
function connections(clock: SimulatedClock, ...all: readonly (string | AosError)[]) {
  const places: (number | undefined)[] = [];
  const deps: FollowDeps = {
    clock,
    openStream: async (_path, { after }) => {
      const next = all[places.push(after) - 1];
      if (next === undefined || next instanceof AosError) throw next ?? new Error('one too many');
      const body = (async function* () {
        yield Buffer.from(next);
      })();
      return { head: { status: 200, headers: new Map() }, body };
    },
    isPassing: (failure) => failure instanceof AosError && failure.code === 'daemon.down',
    parseJson: (text) => JSON.parse(text),
  };
  return { deps, places };
}

async function seen(clock: SimulatedClock, deps: FollowDeps): Promise<string[]> {
  const events: string[] = [];
  const reading = (async () => {
    for await (const event of followOperation(deps, '/logs')) {
      events.push(event.kind === 'log' ? event.line : `${event.kind} ${event.status}`);
    }
  })();
  let isOver = false;
  const over = reading.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) await clock.advance(1000);
  await over;
  return events;
}

const down = new AosError('daemon.down', { message: 'No daemon' });

test('no line is left out and none comes twice, over connections that are cut', async () => {
  const clock = new SimulatedClock();
  const { deps, places } = connections(
    clock,
    ...[state('running') + log(1) + log(2), down, state('running') + log(2) + log(3), end],
  );

  const events = await seen(clock, deps);

  expect(events).toEqual(['state running', 'line 1', 'line 2', 'line 3', 'end succeeded']);
  expect(places).toEqual([0, 2, 2, 3]);
});

test('a daemon that is away for half a minute is not waited for', async () => {
  const clock = new SimulatedClock();
  const { deps } = connections(clock, log(1), ...Array<AosError>(100).fill(down));

  await expect(seen(clock, deps)).rejects.toMatchObject({ code: 'daemon.down' });
});

test('what is refused is not asked again', async () => {
  const clock = new SimulatedClock();
  const refused = new AosError('capability.denied', { message: 'no' });
  const { deps, places } = connections(clock, log(1), refused);

  await expect(seen(clock, deps)).rejects.toMatchObject({ code: 'capability.denied' });
  expect(places).toEqual([0, 1]);
});
