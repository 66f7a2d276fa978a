import { expect, test } from 'vitest';
import { type PastTransfer, unusual } from './transfer.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const start = Date.UTC(2030, 0, 1);

/** Thirty quiet days: two transfers to jared, at nine and at ten. */
function quiet(days = 30): PastTransfer[] {
  return Array.from({ length: days }, (_, day) =>
    [9, 10].map((hour) => transfer({ at: start + day * dayMs + hour * hourMs })),
  ).flat();
}

function transfer(facts: Partial<PastTransfer>): PastTransfer {
  return { at: 0, recipient: 'jared', bytes: 1000, ...facts };
}

const today = start + 30 * dayMs;
const atNine = today + 9 * hourMs + 60_000;

test('another day like the thirty before it is not unusual', () => {
  expect(unusual(quiet(), [transfer({ at: atNine })])).toEqual([]);
});

test('ten in an hour of a sender who sent one an hour are a burst', () => {
  const nine = Array.from({ length: 9 }, (_, index) => transfer({ at: atNine - index }));

  expect(unusual([...quiet(), ...nine.slice(1)], [transfer({ at: atNine })])).toEqual([]);
  expect(unusual([...quiet(), ...nine], [transfer({ at: atNine })])).toEqual(['burst']);
});

test('ten in an hour are none of a sender who has sent four in one before', () => {
  const busy = Array.from({ length: 4 }, () => transfer({ at: start + 5 * dayMs + 9 * hourMs }));
  const nine = Array.from({ length: 9 }, (_, index) => transfer({ at: atNine - index }));

  expect(unusual([...quiet(), ...busy, ...nine], [transfer({ at: atNine })])).toEqual([]);
});

test('one of 100 MiB after small ones is a burst', () => {
  const large = transfer({ at: atNine, bytes: 100 * 1024 * 1024 });

  expect(unusual(quiet(), [large])).toEqual(['burst']);
  expect(unusual(quiet(), [{ ...large, bytes: large.bytes - 1 }])).toEqual([]);
});

test('a recipient to whom nothing was sent before is unusual', () => {
  const toJean = transfer({ at: atNine, recipient: 'jean' });

  expect(unusual(quiet(), [transfer({ at: atNine }), toJean])).toEqual(['new-recipient']);
  expect(unusual([...quiet(), toJean], [toJean])).toEqual([]);
});

test('a time of the day at which nothing was sent before is unusual', () => {
  const atThree = today + 3 * hourMs;
  const atEight = today + 8 * hourMs;

  expect(unusual(quiet(), [transfer({ at: atThree })])).toEqual(['odd-hour']);
  expect(unusual(quiet(), [transfer({ at: atEight })])).toEqual([]);
});

test('an hour is near also over midnight', () => {
  const past = quiet().map((each) => ({ ...each, at: each.at - 9 * hourMs - 30 * 60_000 }));

  expect(unusual(past, [transfer({ at: today + 23 * hourMs })])).toEqual([]);
});

test('nothing is unusual before there were seven days with transfers', () => {
  const past = quiet(6);
  const at = start + 6 * dayMs + 3 * hourMs;
  const many = Array.from({ length: 50 }, () => transfer({ at, recipient: 'jean' }));

  expect(unusual([...past, ...many], many)).toEqual([]);
});

test('what lies more than thirty days back does not count', () => {
  const at = start + 70 * dayMs + 3 * hourMs;

  expect(unusual(quiet(), [transfer({ at, recipient: 'jean' })])).toEqual([]);
});
