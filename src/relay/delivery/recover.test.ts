import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryRelay, wholeMessage } from '../../../tests/support/temporary-relay.ts';
import { until } from '../../../tests/support/until.ts';

/** Many unread files in one inbox, and a count of how often somebody lists it. */
async function fullInbox(files: number) {
  const clock = new SimulatedClock();
  const home = await temporaryRelay({ clock });
  await home.register('jean', 'samantha');
  const message = wholeMessage({ to: 'samantha' });
  await home.relay.accept(Array.from({ length: files }, () => ({ sender: 'jean', message })));
  const count = `select count(*) as files from deliveries where state = 'delivered'`;
  await until(async () => expect(await home.ledger.committed.get(count)).toEqual({ files }));
  const listed: string[] = [];
  const list = home.inboxes.list.bind(home.inboxes);
  home.inboxes.list = (recipient) => {
    listed.push(recipient);
    return list(recipient);
  };
  return { home, clock, listed, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test('a sweep lists an inbox once, however much of it is unread', async () => {
  await using here = await fullInbox(600);
  const { home, clock, listed } = here;
  const [first = '', ...others] = home.inboxes.names('samantha');
  home.inboxes.takeAway('samantha', first);

  await clock.advance(30_000);

  await home.unread('samantha', others.length);
  expect(listed).toEqual(['samantha']);
});

test('a start lists an inbox once, and finds all that was read meanwhile', async () => {
  await using here = await fullInbox(600);
  const { home, listed } = here;
  const names = home.inboxes.names('samantha');
  for (const name of names) home.inboxes.takeAway('samantha', name);

  await home.restart();

  await home.unread('samantha', 0);
  expect(listed).toEqual(['samantha']);
});
