import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { isInstalled } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openBulkDisk } from '../../app/engines/bulk-disk.ts';
import { realClock } from '../../app/engines/clock.ts';
import { realDisk } from '../../app/engines/disk.ts';
import { realEventLoop } from '../../app/engines/event-loop.ts';
import { realFileWatching } from '../../app/engines/file-watching.ts';
import { realRandom } from '../../app/engines/random.ts';
import { bulkOver } from '../../kernel/bulk-disk.ts';
import type { Acceptance, Incoming } from '../envelope.ts';
import { InboxFiles } from './inbox-files.ts';
import { InboxWatch } from './inbox-watch.ts';
import { NoticeBursts } from './notice-bursts.ts';
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

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('nothing came');
    await sleep(2);
  }
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
  test.each(Array.from({ length: 20 }, (_, index) => ({ index })))(
    'sends its message as a new agent (try $index)',
    async ({ index }) => {
      await using home = await place();
      writeFileSync(home.user.at('send.sh'), script);
      const env = { ...process.env, HOME: home.user.path, AGENT_RELAY_NAME: `guest${index}` };

      const { stdout } = await run('bash', [home.user.at('send.sh')], { env });
      await until(() => home.archived.length > 0);

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
  for (let count = 1000; count < 1200; count++) {
    for (const agent of agents) {
      const [from, to] = ['outbox/.pending', 'outbox'].map((folder) =>
        home.at('agents', agent, folder, `${count}.msg`),
      );
      writeFileSync(from ?? '', 'TO: Lead\n\nhello');
      renameSync(from ?? '', to ?? '');
    }
    if (count % 50 === 0) await sleep(5);
  }
  await until(() => home.archived.length >= 1600);

  for (const agent of agents) {
    const own = home.handedIn.filter(({ sender }) => sender === agent);
    expect(own.map(({ source }) => Number(source?.stem))).toEqual(
      Array.from({ length: 200 }, (_, index) => 1000 + index),
    );
  }
});

test.skipIf(!isInstalled('mkfifo'))('a FIFO is refused at once and removed', async () => {
  await using home = await place();
  const outbox = home.at('agents', 'jean', 'outbox');

  await run('mkfifo', [`${outbox}/pipe.msg`]);
  await until(() => home.handedIn.length > 0 && !readdirSync(outbox).includes('pipe.msg'));
  writeFileSync(`${outbox}/a.msg`, 'TO: Lead\n\nhello');
  await until(() => home.archived.length > 0);

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
    const attacker = startSwapping(jean);

    await once(attacker, 'close');
    await sleep(300);

    expect(home.handedIn.filter((one) => 'message' in one)).toEqual([]);
    expect(readdirSync(home.user.at('mary'))).toHaveLength(50);
  },
);

function startSwapping(folder: string): ChildProcess {
  const program = `
    const { renameSync, writeFileSync } = require('node:fs');
    const deadline = Date.now() + 1500;
    while (Date.now() < deadline) {
      renameSync('outbox', 'away'); renameSync('link', 'outbox');
      renameSync('outbox', 'link'); renameSync('away', 'outbox');
      writeFileSync('outbox/x.txt', '');
    }`;
  return spawn(process.execPath, ['-e', program], { cwd: folder, stdio: 'inherit' });
}

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
  await until(() => gone.length > 0);

  expect(read).toBe('one');
  expect(gone).toEqual(['1.msg']);
});
