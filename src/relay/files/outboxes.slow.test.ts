import { execFile } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { waitMs } from '../../../tests/support/limits.ts';
import { isInstalled } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull, seeds } from '../../../tests/support/tier.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import { realClock, realEventLoop, realRandom } from '../../engines/clock.ts';
import { openBulkDisk } from '../../engines/disk/bulk-disk.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realFileWatching } from '../../engines/disk/file-watching.ts';
import { bulkOver } from '../../kernel/disk/bulk-disk.ts';
import type { Acceptance, Incoming } from '../envelope.ts';
import { InboxFiles, InboxWatch } from './inbox-files.ts';
import { NoticeBursts } from './outbox.ts';
import { Outboxes } from './outboxes.ts';

const run = promisify(execFile);

/** A real home whose outboxes are watched, and a relay that accepts everything. */
async function place() {
  const user = temporaryFolder();
  const home = user.at('.agent-relay');
  mkdirSync(`${home}/agents/jean/outbox/.pending`, { recursive: true, mode: 0o700 });
  const handedIn: Incoming[] = [];
  const archived: string[] = [];
  const lines: string[] = [];
  const line = (_facts: object, words: string) => void lines.push(words);
  const accept = async (batch: readonly Incoming[]): Promise<Acceptance[]> => {
    handedIn.push(...batch);
    return batch.map(({ sender, source }) => ({
      kind: 'accepted',
      id: `${sender} ${source?.stem}`,
      recipients: 1,
      archive: { agent: sender, stem: source?.stem ?? '', at: realClock.now() },
    }));
  };
  const bulk = openBulkDisk({
    clock: realClock,
    onTrouble: (failure) => void lines.push(`no thread: ${failure}`),
  });
  const outboxes = new Outboxes({
    ...{ disk: realDisk, watching: realFileWatching, clock: realClock, eventLoop: realEventLoop },
    ...{ home, accept, bulk, bursts: new NoticeBursts(realEventLoop) },
    log: { info: line, warn: line, error: line },
    filesDone: async (files) => void archived.push(...files.archived),
    rate: { take: (_, wanted) => wanted, waitMs: () => 0 },
    // As a real registration, it makes what is missing and takes a moment.
    registerGuest: async (name) => {
      await sleep(5);
      mkdirSync(`${home}/agents/${name}/outbox/.pending`, { recursive: true, mode: 0o700 });
    },
    agents: async () => ['jean'],
  });
  await outboxes.start();
  return {
    ...{ user, home, handedIn, archived, lines },
    at: (...names: string[]) => [home, ...names].join('/'),
    async [Symbol.asyncDispose]() {
      await outboxes[Symbol.asyncDispose]();
      await bulk[Symbol.asyncDispose]();
      await user[Symbol.asyncDispose]();
    },
  };
}

// Appendix A of the file protocol, as it is printed there.
const script = `#!/bin/bash
# Example: Writing a message atomically

RELAY_DIR="$HOME/.agent-relay"
AGENT_NAME="\${AGENT_RELAY_NAME:-myagent}"
OUTBOX="$RELAY_DIR/agents/$AGENT_NAME/outbox"
PENDING="$OUTBOX/.pending"

# Ensure directories exist
mkdir -p "$PENDING"

# Generate unique filename
TIMESTAMP=$(date +%s%N)
UUID=$(head -c 4 /dev/urandom | xxd -p)
FILENAME="\${TIMESTAMP}-\${UUID}.msg"

# Write to temp file
TEMP_FILE="$PENDING/$FILENAME"
cat > "$TEMP_FILE" << 'EOF'
TO: Lead

ACK: Task received and understood.
EOF

# Sync to disk
sync "$TEMP_FILE"

# Atomic rename to final location
mv "$TEMP_FILE" "$OUTBOX/$FILENAME"

# Sync parent directory
sync "$OUTBOX"

echo "Message written: $FILENAME"
`;

describe.skipIf(!isInstalled('bash') || !isInstalled('xxd'))('the shell script', () => {
  test.each(seeds('a new agent', { fast: 4, full: 20 }))(
    'sends its message as a new agent (try %d)',
    async (index) => {
      await using home = await place();
      writeFileSync(home.user.at('send.sh'), script);
      const env = { ...process.env, HOME: home.user.path, AGENT_RELAY_NAME: `guest${index}` };

      const { stdout } = await run('bash', [home.user.at('send.sh')], { env });
      await untilTrue(() => home.archived.length > 0);

      const stem = /written: (.*)\.msg/.exec(stdout)?.[1];
      expect(home.archived).toEqual([`guest${index} ${stem}`]);
      expect(home.handedIn).toMatchObject([
        { message: { to: 'Lead', body: 'ACK: Task received and understood.\n' } },
      ]);
    },
  );
});

test('messages of eight agents that write at once all come, in order', async () => {
  await using home = await place();
  const agents = Array.from({ length: 8 }, (_, index) => `agent${index}`);

  for (const agent of agents) {
    mkdirSync(home.at('agents', agent, 'outbox', '.pending'), { recursive: true });
  }
  const each = isFull ? 200 : 60;
  for (let count = 1000; count < 1000 + each; count++) {
    for (const agent of agents) {
      const [from, to] = ['outbox/.pending', 'outbox'].map((folder) =>
        home.at('agents', agent, folder, `${count}.msg`),
      );
      writeFileSync(from ?? '', 'TO: Lead\n\nhello');
      renameSync(from ?? '', to ?? '');
    }
    if (count % 20 === 0) await sleep(5);
  }
  await untilTrue(() => home.archived.length >= 8 * each);

  for (const agent of agents) {
    const own = home.handedIn.filter(({ sender }) => sender === agent);
    expect(own.map(({ source }) => Number(source?.stem))).toEqual(
      Array.from({ length: each }, (_, index) => 1000 + index),
    );
  }
});

test.skipIf(!isInstalled('mkfifo'))('a FIFO is refused at once and removed', async () => {
  await using home = await place();
  const outbox = home.at('agents', 'jean', 'outbox');

  await run('mkfifo', [`${outbox}/pipe.msg`]);
  await untilTrue(() => home.handedIn.length > 0 && !readdirSync(outbox).includes('pipe.msg'));
  writeFileSync(`${outbox}/a.msg`, 'TO: Lead\n\nhello');
  await untilTrue(() => home.archived.length > 0);

  expect(home.handedIn).toMatchObject([
    { fault: { code: 'message.malformed' } },
    { message: { body: 'hello' } },
  ]);
  const [day = ''] = readdirSync(home.at('archive'));
  expect(readdirSync(home.at('archive', day, 'jean'))).toEqual(['a.msg']);
});

test.skipIf(process.platform !== 'linux')(
  'an outbox that is swapped for a symlink again and again gives nothing of another away',
  async () => {
    await using home = await place();
    const secret = 'TO: Lead\n\nwritten by mary';
    mkdirSync(home.user.at('mary'));
    for (let count = 0; count < 50; count++) {
      writeFileSync(home.user.at('mary', `${count}.msg`), secret);
    }
    const jean = home.at('agents', 'jean');
    symlinkSync(home.user.at('mary'), `${jean}/link`);
    // In a process of its own, as fast as it can.
    const { stdout } = await run(process.execPath, ['-e', swapping], { cwd: jean });
    await sleep(300);

    expect(Number(stdout)).toBeGreaterThan(50);
    expect(home.handedIn.filter((one) => 'message' in one)).toEqual([]);
    expect(readdirSync(home.user.at('mary'))).toHaveLength(50);
  },
);

// An outbox that is away is made anew by the relay, which is in the way of who swaps it.
const swapping = `
  const { renameSync, rmSync, writeFileSync } = require('node:fs');
  const put = (from, to) => {
    for (const deadline = Date.now() + ${waitMs}; ; ) {
      try { return renameSync(from, to); } catch (failure) {
        if (Date.now() > deadline) throw failure;
        // The relay may put something into it meanwhile: then once more.
        try { rmSync(to, { recursive: true, force: true }); } catch {}
      }
    }
  };
  let swaps = 0;
  for (const deadline = Date.now() + ${isFull ? 1500 : 500}; swaps <= 50 || Date.now() < deadline; swaps++) {
    put('outbox', 'away'); put('link', 'outbox');
    put('outbox', 'link'); put('away', 'outbox');
    writeFileSync('outbox/x.txt', '');
  }
  console.log(swaps);`;

test('an agent that takes its messages is heard of', async () => {
  await using user = temporaryFolder();
  const home = user.path;
  mkdirSync(`${home}/agents/jean/inbox`, { recursive: true });
  mkdirSync(`${home}/run`);
  const gone: string[] = [];
  const inboxes = new InboxFiles({
    disk: realDisk,
    bulk: bulkOver(realDisk),
    eventLoop: realEventLoop,
    random: realRandom,
    home,
  });
  const line = (): void => {};
  await using watch = new InboxWatch({
    bursts: new NoticeBursts(realEventLoop),
    ...{ disk: realDisk, watching: realFileWatching, clock: realClock, home },
    log: { info: line, warn: line, error: line },
    onGone: (_, names) => void gone.push(...names),
  });
  watch.expect('jean');
  await inboxes.write('jean', [
    { name: '1.msg', text: 'one' },
    { name: '2.msg', text: 'two' },
  ]);

  const read = readFileSync(`${home}/agents/jean/inbox/1.msg`, 'utf8');
  renameSync(`${home}/agents/jean/inbox/1.msg`, `${home}/done.msg`);
  await untilTrue(() => gone.length > 0);

  expect(read).toBe('one');
  expect(gone).toEqual(['1.msg']);
});
