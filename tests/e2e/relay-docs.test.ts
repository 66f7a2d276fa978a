/** The examples of docs/relay.md, taken out of it and run. The one in bash is in relay.test.ts. */
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInstalled } from '../support/machine.ts';
import { lookIntoInbox, putIntoOutbox, takeFromInbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { runProgram } from '../support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

function exampleIn(language: 'python' | 'ts'): string {
  const document = readFileSync(join(root, 'docs', 'relay.md'), 'utf8');
  const [, example] =
    new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document) ?? [];
  if (example === undefined) throw new Error(`docs/relay.md has no example in ${language}`);
  return example;
}

let relay: RelayHome;

beforeAll(async () => {
  relay = await relayHome('echo', 'watcher', 'builder');
});

afterAll(async () => {
  await relay?.[Symbol.asyncDispose]();
});

test.runIf(isInstalled('python3'))('Python: sends, and reads what is answered', async () => {
  await using folder = temporaryFolder();
  const { home, daemon } = relay;
  await writeFile(folder.at('example.py'), exampleIn('python'));

  const running = runProgram('python3', [folder.at('example.py')], { env: { AOS_HOME: home } });
  const [asked] = await daemon.client.takeInbox('echo', { wait_ms: 15_000 });
  const answer = `TO: ${asked?.from}\nKIND: response\nRE: ${asked?.id}\n\nhello to you\n`;
  putIntoOutbox(home, 'echo', answer);

  expect(await running).toMatchObject({
    code: 0,
    stdout: 'echo response hello to you\n',
    stderr: '',
  });
  expect(asked).toMatchObject({ from: 'greeter', kind: 'request', thread: 'greeting' });
  expect(asked?.body).toBe('hello\n');
});

test.runIf(isInstalled('python3'))('Python: tries again when the disk is full', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  const [library = ''] = exampleIn('python').split('\nsend("greeter"');
  // What the disk does twice, and no more.
  const fullTwice = `
real = os.fsync
left = [2]
def fsync(file):
    if left[0] > 0:
        left[0] -= 1
        raise OSError(errno.ENOSPC, "No space left on device")
    real(file)
os.fsync = fsync
time.sleep = lambda seconds: print("waits", seconds)
print(send("jean", "sam", "hello") in os.listdir(home / "agents/jean/outbox"))
`;
  await writeFile(folder.at('example.py'), library + fullTwice);

  const run = await runProgram('python3', [folder.at('example.py')], { env: { AOS_HOME: home } });

  expect(run).toMatchObject({ code: 0, stdout: 'waits 0.5\nwaits 1\nTrue\n', stderr: '' });
});

test('TypeScript: subscribes, broadcasts, asks and answers', async () => {
  await using folder = temporaryFolder();
  const { home } = relay;
  await installPackage(folder);
  await writeFile(folder.at('example.ts'), exampleIn('ts'));

  const run = await runProgram(process.execPath, [folder.at('example.ts')], {
    env: { AOS_HOME: home },
  });

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.split('\n').sort()).toEqual([
    '',
    'builder says build.finished: all green',
    'echo answers HELLO',
  ]);
  expect([...takeFromInbox(home, 'builder')]).toEqual([]);
  expect(lookIntoInbox(home, 'watcher')).toEqual([]);
});

/** As `npm install` of a checkout does: by its name, beside the example. */
async function installPackage(folder: TemporaryFolder): Promise<void> {
  await mkdir(folder.at('node_modules'));
  await symlink(root, folder.at('node_modules', 'agent-os'));
}
