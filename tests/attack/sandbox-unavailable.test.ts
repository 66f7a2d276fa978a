/** Where there is no wall, nothing is run: the daemon says why, and what to do. */
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasSandbox, isRoot } from '../support/machine.ts';
import { runProgram } from '../support/run-aos.ts';
import {
  type DaemonMode,
  type SandboxDaemon,
  startSandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { endOf } from '../support/tool-home.ts';

// In mounts of its own: nobody else misses the program.
const coveredBy = (file: string) => {
  const cover = 'mount --bind "$0" /usr/bin/bwrap && exec "$@"';
  return ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', cover, file];
};
const noMoreNamespaces = [
  ...['/usr/bin/bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--'],
];

async function expectRefusal(daemon: SandboxDaemon, says: RegExp, fix: RegExp): Promise<void> {
  const { client } = daemon.agent('jean');
  const args = { program: 'touch', args: ['ran'] };

  const attempt = client.callTool('shell.execute', { args });

  await expect(attempt).rejects.toMatchObject({
    code: 'sandbox.unavailable',
    message: expect.stringMatching(says),
    fix: expect.stringMatching(fix),
  });
  const ends = [
    await endOf(daemon.sh('jean', 'touch ran')),
    await endOf(daemon.sh('jean', 'true')),
  ];
  expect(ends).toEqual(['sandbox.unavailable', 'sandbox.unavailable']);
  const { home } = daemon;
  const left = readdirSync(home, { recursive: true }).filter((name) =>
    String(name).endsWith('ran'),
  );
  expect(left).toEqual([]);
  expect(await daemon.client.status()).toMatchObject({ pid: daemon.daemon.pid });
}

async function expectDoctorSays({ aos }: SandboxDaemon, says: RegExp): Promise<void> {
  const [program, ...args] = aos;

  const { code, stdout } = await runProgram(program, [...args, 'doctor']);

  expect(code).not.toBe(0);
  expect(stdout).toMatch(says);
}

// To hide a program from one daemon alone takes the right to mount.
describe.skipIf(!isRoot)('without a bubblewrap that can be started', () => {
  underEachDaemon((mode: DaemonMode) => {
    test('the daemon starts, refuses to run anything, and says how to mend it', async () => {
      const through = coveredBy('/dev/null');
      await using daemon = await startSandboxDaemon(mode, { agents: ['jean'], through });

      await expectRefusal(daemon, /bubblewrap/, /apt-get install/);

      await expectDoctorSays(daemon, /^failed +(bubblewrap|sandbox) .*refused/m);
    });
  });
});

// They fail in the same way under every user.
describe.skipIf(!isRoot || !hasSandbox)('with a bubblewrap that is none', () => {
  const mode = 'ordinary';

  test('one that runs programs without a wall is found out', async () => {
    // It takes the same words, and starts what stands behind the last of them.
    const script = `#!/bin/sh
        case $1 in --version) echo bubblewrap 0.9.0; exit;; esac
        while test "$1" != --; do shift; done; shift; exec "$@"`;
    const { folder, file } = fakeLauncher(script);
    await using _ = folder;
    const through = coveredBy(file);
    await using daemon = await startSandboxDaemon(mode, { agents: ['jean'], through });

    await expectRefusal(daemon, /no sandbox that holds/, /./);
  });

  test('one that runs nothing and says that all is well is found out', async () => {
    const script = `#!/bin/sh
        case $1 in --version) echo bubblewrap 0.9.0; exit;; esac
        printf '\\006'; cat <&3 >/dev/null; exit 0`;
    const { folder, file } = fakeLauncher(script);
    await using _ = folder;
    const through = coveredBy(file);
    await using daemon = await startSandboxDaemon(mode, { agents: ['jean'], through });

    await expectRefusal(daemon, /no sandbox that holds/, /./);
  });

  test('one that is too old is not used', async () => {
    const { folder, file } = fakeLauncher('#!/bin/sh\necho bubblewrap 0.4.1');
    await using _ = folder;
    const through = coveredBy(file);
    await using daemon = await startSandboxDaemon(mode, { agents: ['jean'], through });

    await expectRefusal(daemon, /0\.4/, /0\.8/);
  });
});

describe.skipIf(!hasSandbox)('where user namespaces are refused', () => {
  test('the daemon of another user starts, refuses to run anything, and says what to allow', async () => {
    const within = noMoreNamespaces;
    await using daemon = await startSandboxDaemon('ordinary', { agents: ['jean'], within });

    await expectRefusal(daemon, /bubblewrap/, /user namespaces/);

    await expectDoctorSays(daemon, /^failed +(bubblewrap|sandbox) .*refused/m);
  });
});

interface FakeLauncher {
  readonly folder: TemporaryFolder;
  readonly file: string;
}

function fakeLauncher(script: string): FakeLauncher {
  const folder = temporaryFolder();
  const file = folder.at('bwrap');
  writeFileSync(file, script, { mode: 0o755 });
  return { folder, file };
}
