import { expect, test } from 'vitest';
import { temporaryRelay } from '../../tests/support/temporary-relay.ts';
import { readEvents } from './events.ts';

test('an agent sees what happens to its own messages, and to no others', async () => {
  await using home = await temporaryRelay();
  await home.register('jean', 'samantha', 'jared');
  const mine = await home.send('jean', { to: 'samantha' });
  const theirs = await home.send('jared', { to: 'samantha' });
  await home.until(mine, 'delivered');
  await home.until(theirs, 'delivered');

  const seenBy = async (name: string) => {
    const page = { limit: 100, order: 'oldest-first' } as const;
    const concerning = `agent:${name}`;
    const events = await readEvents(home.ledger.committed, { concerning, kind: 'message.*' }, page);
    return [...new Set(events.map(({ subject }) => subject))].sort();
  };

  expect(await seenBy('jean')).toEqual([`message:${mine}`]);
  expect(await seenBy('jared')).toEqual([`message:${theirs}`]);
  expect(await seenBy('samantha')).toEqual([`message:${mine}`, `message:${theirs}`].sort());
  expect(await seenBy('jea')).toEqual([]);
  expect(await seenBy('%')).toEqual([]);
});
