import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { until } from '../../tests/support/until.ts';
import { priorities } from '../kernel/message/message.ts';
import { request } from './send.ts';

test('a request that nobody answers is refused at its deadline, and not before', async () => {
  const clock = new SimulatedClock();
  await clock.advance(3_600_000);
  await using home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const asked = { to: 'samantha', kind: 'request', body: 'hello?' } as const;
  const message = { ...asked, priority: priorities.usual, attachments: [], headers: [] };
  const { signal } = new AbortController();
  const ends: unknown[] = [];

  const attempt = request({ relay: home.relay, clock }, 'jean', message, {
    timeoutMs: 500,
    signal,
  });
  attempt.catch(({ code }) => ends.push(code));
  await home.unread('samantha', 1);
  await clock.advance(499);

  expect(ends).toEqual([]);
  await clock.advance(1);
  await until(() => expect(ends).toEqual(['message.no-answer']));
});
