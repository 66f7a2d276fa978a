/** No room: where a file is to be received, and in the home of whoever sends. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSandbox } from '../support/machine.ts';
import { sharedServedHome, someBytes } from '../support/transfer-ends.ts';
import {
  type TransferHome,
  type TransferHomeChoices,
  transferHome,
} from '../support/transfer-home.ts';

const MiB = 1024 * 1024;

/** A line of shell in which `folder` is a disk of its own, of so many bytes. */
function onSmallDisk(folder: string, sizeBytes: number, script: string): string {
  const world = `bwrap --dev-bind / / --perms 0700 --size ${sizeBytes} --tmpfs '${folder}'`;
  return `${world} sh -c '${script}'`;
}

type Place = Omit<TransferHome, typeof Symbol.asyncDispose>;

async function withFile(home: Place, sizeBytes: number): Promise<string> {
  writeFileSync(home.folder.at('large.bin'), someBytes(sizeBytes));
  const { id } = await home.data('samantha', 'agent-transfer send large.bin --to $jared');
  return String(id);
}

describe.runIf(hasSandbox)('on a disk that is full', () => {
  const served = sharedServedHome();
  let unserved: TransferHome | undefined;
  beforeAll(async () => {
    unserved = await transferHome({ withDaemon: false });
  });
  afterAll(() => unserved?.[Symbol.asyncDispose]());

  const homeOf = async ({ withDaemon }: TransferHomeChoices): Promise<Place> => {
    const home = withDaemon ? await served() : unserved;
    if (home === undefined) throw new Error('there is no home');
    return home;
  };

  // The first, while there is nothing in the home that it copies.
  test('what is sent from a home without room is sent from there on when there is some', async () => {
    const home = await homeOf({ withDaemon: false });
    writeFileSync(home.folder.at('large.bin'), someBytes(12 * MiB));
    const small = home.folder.at('downloads');
    const send = 'agent-transfer send large.bin --to jared';
    const script = [
      // What is kept for a full disk would fill this one.
      'rm -f "$AOS_HOME/.reserve" && cp -r "$AOS_HOME" downloads/home',
      'export AOS_HOME="$PWD/downloads/home"',
      `head -c ${17 * MiB} /dev/zero > downloads/filler`,
      `${send} || echo "ended with $?"`,
      'rm downloads/filler',
      send,
      'agent-transfer download-all --dest got --as jared && cmp large.bin got/large.bin',
      'ls -A downloads/home/blobs/.uploads',
    ].join('; ');

    const run = await home.type('samantha', onSmallDisk(small, 24 * MiB, script));

    expect(run.stderr).toMatch(/^error: .*(?:full|room).*\n/i);
    expect(run.stderr).not.toMatch(/ENOSPC|\n\s+at /);
    expect(run.stdout).toMatch(/^ended with 7\n\S+ {2}large\.bin to jared.*\nwent on after .*\n/);
    expect(run.stdout).toMatch(/1 of 1 downloaded\.\n$/);
  });

  test.each([
    { how: 'with a daemon', withDaemon: true },
    { how: 'without', withDaemon: false },
  ])(
    'a file is received as far as there is room, and the rest later, $how',
    async ({ withDaemon }) => {
      const home = await homeOf({ withDaemon });
      const id = await withFile(home, 6 * MiB);
      const dest = home.folder.at('downloads');
      const again = `agent-transfer download ${id} --dest downloads`;
      const script = [
        `head -c ${3 * MiB} /dev/zero > downloads/filler`,
        `${again} || echo "ended with $?"`,
        'ls -A downloads',
        'rm downloads/filler',
        again,
        'cmp large.bin downloads/large.bin && ls -A downloads',
      ].join('; ');

      const run = await home.type('jared', onSmallDisk(dest, 7 * MiB, script));

      expect(run.stderr).toMatch(/^error: .*(?:full|room).*\n/i);
      expect(run.stderr).not.toMatch(/ENOSPC|\n\s+at /);
      const lines = run.stdout.replaceAll(id, 'ID').trim().split('\n');
      expect(lines.slice(0, 4)).toEqual(['ended with 7', '.aos-ID.note', '.aos-ID.part', 'filler']);
      expect(lines.slice(4)).toEqual([
        `Downloaded to: ${dest}/large.bin`,
        expect.stringMatching(/^went on after [1-4](?:\.\d)? MB$/),
        'large.bin',
      ]);
    },
  );

  test('a folder is received as far as there is room, and the rest later', async () => {
    const home = await served();
    await home.type(
      'owner',
      'mkdir tree tree/in; for n in 1 2 3 4 5 6; do head -c 1000000 /dev/urandom > tree/in/$n; done',
    );
    const { id } = await home.data('samantha', 'agent-transfer send tree --to $jared');
    const again = `agent-transfer download ${id} --dest downloads`;
    const script = [
      `head -c ${3 * MiB} /dev/zero > downloads/filler`,
      `${again} || echo "ended with $?"`,
      'ls downloads',
      'rm downloads/filler',
      again,
      'diff -r tree downloads/tree && ls -A downloads',
    ].join('; ');

    const run = await home.type('jared', onSmallDisk(home.folder.at('downloads'), 7 * MiB, script));

    expect(run.stderr).toMatch(/^error: .*(?:full|room).*\n/i);
    expect(run.stdout).toMatch(
      /^ended with 7\nfiller\nDownloaded to: \S+\nwent on after .*\ntree\n$/,
    );
  });
});
