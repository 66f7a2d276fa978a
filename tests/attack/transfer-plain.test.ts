/** What is not sealed is right only as a whole, also where it is gone on with. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  libraryOf,
  type ServedHome,
  sharedServedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';

const served = sharedServedHome();

const size = 5_500_000;
const wrongAt = 700_000;

/** Sends what is not sealed, and makes a byte of what is stored another one; the id. */
async function sendAndDamage(place: ServedHome): Promise<string> {
  const before = storedFiles(place);
  const source = place.folder.at('five.bin');
  writeFileSync(source, someBytes(size));
  const made = { to: place.names.jared, plain: true };
  const { id } = await libraryOf(place, 'samantha').send(source, made);
  const body = storedFiles(place).find((path) => !before.includes(path)) ?? '';
  const bytes = readFileSync(body);
  bytes[wrongAt] = (bytes[wrongAt] ?? 0) ^ 1;
  writeFileSync(body, bytes);
  return id;
}

test('a byte that was changed is found by the owner and by an agent, and nothing has the name', async () => {
  const place = await served();
  const [first, second] = [await sendAndDamage(place), await sendAndDamage(place)];

  const runs = await Promise.all([
    place.type('jared', `agent-transfer download ${first} --dest owner`),
    place.typeIn(place.withHandle('jared'), `agent-transfer download ${second} --dest handle`),
  ]);

  for (const run of runs) {
    expect(run.stderr).toContain('corrupt');
    expect(run.code).toBe(1);
  }
  expect(['owner', 'handle'].map((dest) => readdirSync(place.folder.at(dest)))).toEqual([[], []]);
});

test('to stdout it ends with 1, whatever came before', async () => {
  const place = await served();
  const id = await sendAndDamage(place);

  const run = await place.type('jared', `agent-transfer download ${id} - > out`);

  expect(run.code).toBe(1);
  expect(run.stderr).toContain('corrupt');
});

test('one that was cut off, and changed in front of that, does not get its name', async () => {
  const place = await served();
  const id = await sendAndDamage(place);
  // Killed behind the byte that is wrong.
  const slow = `agent-transfer download ${id} --dest got --limit-rate 2M`;
  const received = `$(cat got/.aos-*.part 2>/dev/null | wc -c)`;
  const behind = `while [ ${received} -le ${wrongAt + 100_000} ]; do sleep 0.02; done`;
  await place.type('jared', `${slow} & ${behind}; kill -KILL $!; wait`);
  expect(readdirSync(place.folder.at('got')).some((name) => name.endsWith('.part'))).toBe(true);

  const run = await place.type('jared', `agent-transfer download ${id} --dest got`);

  expect(run.code).toBe(1);
  expect(existsSync(place.folder.at('got', 'five.bin'))).toBe(false);
});

test.each([
  ['sealed', false],
  ['not sealed', true],
])('through a pipe to somebody slow what was %s comes as it was', async (_, plain) => {
  const place = await served();
  const bytes = someBytes(size);
  const made = { to: place.names.jared, plain };
  const { id } = await libraryOf(place, 'samantha').sendBuffer(bytes, 'five.bin', made);

  const slow = '(head -c 100; sleep 0.3; cat) > out';
  await place.type('jared', `agent-transfer download ${id} - | ${slow}`);

  expect(readFileSync(place.folder.at('out')).equals(bytes)).toBe(true);
});

test('what nobody has read to its end is not verified', async () => {
  const place = await served();
  const samantha = libraryOf(place, 'samantha');
  const { id } = await samantha.sendBuffer(someBytes(size), 'five.bin', {
    to: place.names.jared,
  });

  await place.type('jared', `agent-transfer download ${id} - | head -c 100`);

  expect(await samantha.status(id)).toMatchObject({ ack: 'fetched' });
});
