/** Messages while the machine gives out: no room, no descriptors, more files than notices. */
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/app/version.ts';
import { realClock } from '../../src/engines/clock.ts';
import { connectTo } from '../../src/gateway/client/client.ts';
import { AosError } from '../../src/kernel/errors.ts';
import { limitMs } from '../support/limits.ts';
import { hasSandbox, isInstalled } from '../support/machine.ts';
import {
  inboxOf,
  lookIntoInbox,
  namesIn,
  outboxOf,
  putIntoOutbox,
} from '../support/message-files.ts';
import { type RunningDaemon, startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isFull } from '../support/tier.ts';
import { until, untilTrue } from '../support/until.ts';

// More than Linux has notices for, at four a file; else notices of something else take the room.
const overflowing = isFull ? 20_000 : 200;

// What the system did not tell of is found by a look at all outboxes, at the latest after 30
// seconds.
const recoveryMs = limitMs(40_000);

const freely = ['--set', 'messagesPerSecond=1000000000', '--set', 'messageBurst=1000000000'];

describe.runIf(hasSandbox)('on a full disk', () => {
  test('files stay in the outbox, callers are told, and all arrives when there is room', async () => {
    await using folder = temporaryFolder();
    mkdirSync(folder.at('home'));
    const through = smallDisk(folder.at('home'));
    await using daemon = await startDaemon(folder.at('home'), { through });
    const home = seenFromOutside(daemon, folder.at('home'));
    const client = connectTo({ clock: realClock, version }, join(home, 'run', 'aos.sock'));
    for (const name of ['jean', 'sam']) await client.register(name);
    const names = bodies.map((body, number) => writePending(home, 'sam', number, body));
    fillDisk(home);

    for (const name of names) moveIntoOutbox(home, 'sam', name);
    const code = await codeOf(client.send({ to: 'jean', from: 'sam', body: longBody }));

    expect(['disk.full', 'ledger.full']).toContain(code);
    expect(namesIn(outboxOf(home, 'sam'))).toEqual(names);
    expect(lookIntoInbox(home, 'jean')).toEqual([]);
    expect(await client.status()).toMatchObject({
      ready: false,
      disk: { state: 'full', used_percent: 100 },
    });

    rmSync(join(home, 'filler'));

    await until(() => expect(lookIntoInbox(home, 'jean')).toHaveLength(bodies.length), recoveryMs);
    expect(lookIntoInbox(home, 'jean').map(({ body }) => body)).toEqual(bodies);
    await until(() => expect(namesIn(outboxOf(home, 'sam'))).toEqual([]), recoveryMs);
    expect(await client.send({ to: 'jean', from: 'sam', body: longBody })).toMatchObject({
      state: 'accepted',
    });
    expect(logOf(home)).toContain('messages are taken from the outboxes again');
  });

  const bodies = Array.from({ length: 40 }, (_, number) => `${number} ${'x'.repeat(20_000)}\n`);
  const longBody = 'y'.repeat(100_000);
});

describe.runIf(isInstalled('prlimit'))('without a free descriptor', () => {
  test('files stay in the outbox, and arrive when there are some again', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await using daemon = await startDaemon(home, { through: ['prlimit', '--nofile=96:96'] });
    for (const name of ['jean', 'sam']) await daemon.client.register(name);
    await using crowd = openCrowd(daemon.socket);
    const bodies: string[] = [];

    // What the daemon opened for its own start it may close again, and then there is room for a
    // message or two.
    do {
      await crowd.fill(96);
      bodies.push(`message ${bodies.length}`);
      putIntoOutbox(home, 'sam', `TO: jean\n\n${bodies.at(-1)}`);
    } while (!(await isTold(home)));
    for (const body of ['two', 'three']) putIntoOutbox(home, 'sam', `TO: jean\n\n${body}`);
    await crowd[Symbol.asyncDispose]();

    const all = [...bodies, 'two', 'three'];
    await until(() => expect(lookIntoInbox(home, 'jean')).toHaveLength(all.length), recoveryMs);
    expect(lookIntoInbox(home, 'jean').map(({ body }) => body)).toEqual(all);
  });

  /** At the outbox, or where one free descriptor was enough for that, at the inbox. */
  async function isTold(home: string): Promise<boolean> {
    const look = () => /disk\.too-many-open|so many other files/.test(logOf(home));
    return untilTrue(look, limitMs(500)).catch(() => false);
  }
});

test(
  'more files than the system can tell of arrive, each once and in order',
  async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await using daemon = await startDaemon(home, { args: freely });
    for (const name of ['jean', 'sam']) await daemon.client.register(name);
    const bodies = Array.from({ length: overflowing }, (_, number) => `${number}\n`);

    // A daemon that stands still does not empty the queue of notices.
    daemon.signal('SIGSTOP');
    if (!isFull) fillNotices(home, 'sam');
    const names = bodies.map((body, number) => writePending(home, 'sam', number, body));
    for (const name of names) moveIntoOutbox(home, 'sam', name);
    daemon.signal('SIGCONT');

    await until(
      () => expect(readdirSync(inboxOf(home, 'jean'))).toHaveLength(overflowing),
      recoveryMs,
    );
    expect(lookIntoInbox(home, 'jean').map(({ body }) => body)).toEqual(bodies);
    await until(() => expect(namesIn(outboxOf(home, 'sam'))).toEqual([]), recoveryMs);
  },
  limitMs(240_000),
);

/** For `through`: the home is a file system of its own, of 24 MiB. */
function smallDisk(home: string): string[] {
  const size = String(24 * 1024 * 1024);
  return ['bwrap', '--dev-bind', '/', '/', '--perms', '0700', '--size', size, '--tmpfs', home];
}

function seenFromOutside({ pid }: RunningDaemon, home: string): string {
  return join('/proc', String(pid), 'root', home);
}

function fillDisk(home: string): void {
  for (const sizeBytes of [1024 * 1024, 4096, 1]) {
    while (append(join(home, 'filler'), Buffer.alloc(sizeBytes)));
  }
}

/** False when there was no room. */
function append(path: string, bytes: Uint8Array): boolean {
  try {
    writeFileSync(path, bytes, { flag: 'a' });
    return true;
  } catch {
    return false;
  }
}

function writePending(home: string, agent: string, number: number, body: string): string {
  const name = `${1_000_000 + number}-00000000.msg`;
  writeFileSync(join(outboxOf(home, agent), '.pending', name), `TO: jean\n\n${body}`);
  return name;
}

function moveIntoOutbox(home: string, agent: string, name: string): void {
  renameSync(join(outboxOf(home, agent), '.pending', name), join(outboxOf(home, agent), name));
}

function logOf(home: string): string {
  return readFileSync(join(home, 'logs', 'daemon.log'), 'utf8');
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const failure = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return failure instanceof AosError ? failure.code : `no error: ${failure}`;
}

/** So many of files that are no messages yet that there is no room for those of others. */
function fillNotices(home: string, agent: string): void {
  const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  const pending = join(outboxOf(home, agent), '.pending');
  const [one, other] = ['one', 'other'].map((name) => join(pending, name));
  for (const path of [one, other]) writeFileSync(path ?? '', '');
  // In turns: the same notice twice in a row is kept once.
  for (let count = 0; count <= most; count++) {
    utimesSync((count % 2 === 0 ? one : other) ?? '', count, count);
  }
}

interface Crowd extends AsyncDisposable {
  /** As many more as the daemon takes; it hangs up on the others. */
  fill(count: number): Promise<void>;
}

function openCrowd(path: string): Crowd {
  const sockets = new Set<Socket>();
  return {
    async fill(count) {
      const more = Array.from({ length: count }, () => connect({ path }).on('error', () => {}));
      for (const socket of more) {
        sockets.add(socket.on('close', () => sockets.delete(socket)).resume());
      }
      await Promise.allSettled(more.map((socket) => once(socket, 'connect')));
    },
    async [Symbol.asyncDispose]() {
      const closed = [...sockets].map((socket) => once(socket, 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
