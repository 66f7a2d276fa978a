/** What is not sealed is right only as a whole, also where it is gone on with. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transferHome } from '../support/transfer-home.ts';

const size = 5_500_000;

async function damagedTransfer() {
  const place = await transferHome({ withDaemon: true });
  const source = place.folder.at('five.bin');
  writeFileSync(source, Buffer.alloc(size, 'so and so'));
  const line = `agent-transfer send ${source} --to jared --plain`;
  const { id } = await place.data('samantha', line);
  const [body = ''] = bodiesOf(place.home);
  const bytes = readFileSync(body);
  bytes[3_000_000] = (bytes[3_000_000] ?? 0) ^ 1;
  return {
    ...place,
    id: String(id),
    body,
    damage: () => writeFileSync(body, bytes),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

function bodiesOf(home: string): string[] {
  const blobs = join(home, 'blobs');
  return readdirSync(blobs)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(blobs, name)).map((hash) => join(blobs, name, hash)));
}

test.each(['the owner', 'his own handle'])(
  'a byte that was changed is found by %s, and nothing has the name',
  async (who) => {
    await using place = await damagedTransfer();
    place.damage();
    const line = `agent-transfer download ${place.id} --dest got`;

    const run =
      who === 'the owner'
        ? await place.type('jared', line)
        : await place.typeIn(place.withHandle('jared'), line);

    expect(run.code).toBe(1);
    expect(run.stderr).toContain('corrupt');
    expect(readdirSync(place.folder.at('got'))).toEqual([]);
  },
);

test('to stdout it ends with 1, whatever came before', async () => {
  await using place = await damagedTransfer();
  place.damage();

  const run = await place.type('jared', `agent-transfer download ${place.id} - > out`);

  expect(run.code).toBe(1);
  expect(run.stderr).toContain('corrupt');
});

test('one that was cut off, and changed in front of that, does not get its name', async () => {
  await using place = await damagedTransfer();
  // As if a process had been killed behind the byte that is wrong.
  const slow = `agent-transfer download ${place.id} --dest got --limit-rate 2M`;
  place.damage();
  await place.type('jared', `timeout -s KILL 2.5 ${slow}`);
  expect(readdirSync(place.folder.at('got')).some((name) => name.endsWith('.part'))).toBe(true);

  const run = await place.type('jared', `agent-transfer download ${place.id} --dest got`);

  expect(run.code).toBe(1);
  expect(existsSync(place.folder.at('got', 'five.bin'))).toBe(false);
});

test.each(['', '--plain'])('through a pipe to somebody slow it comes as it was %s', async (how) => {
  await using place = await transferHome({ withDaemon: true });
  const source = place.folder.at('five.bin');
  const bytes = Buffer.from(
    Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 8)) & 255),
  );
  writeFileSync(source, bytes);
  const { id } = await place.data('samantha', `agent-transfer send ${source} --to jared ${how}`);

  const slow = '(head -c 100; sleep 0.5; cat) > out';
  await place.type('jared', `agent-transfer download ${id} - | ${slow}`);

  expect(readFileSync(place.folder.at('out')).equals(bytes)).toBe(true);
});

test('what nobody has read to its end is not verified', async () => {
  await using place = await transferHome({ withDaemon: true });
  const source = place.folder.at('five.bin');
  writeFileSync(source, Buffer.alloc(size));
  const { id } = await place.data('samantha', `agent-transfer send ${source} --to jared`);

  await place.type('jared', `agent-transfer download ${id} - | head -c 100`);

  const { ack } = await place.data('samantha', `agent-transfer status ${id}`);
  expect(ack).toBe('fetched');
});
