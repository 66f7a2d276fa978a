/** What a program in a sandbox tries with files: those of the host, and its own. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import {
  oneSandboxDaemon,
  outcomes,
  type SandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { endOf } from '../support/tool-home.ts';

const absent = /No such file or directory/;
const readOnly = /Read-only file system/;
const notPermitted = /Operation not permitted/;
const denied = /Permission denied|No such file or directory/;

/** What is tried, how, and what it is told. Nothing of it may succeed. */
const refusals: readonly (readonly [what: string, command: string, told: RegExp])[] = [
  ['reading /etc/shadow', 'cat /etc/shadow', absent],
  ['listing /root', 'ls /root', absent],
  ['listing /home', 'ls /home', absent],
  ['writing below /usr', 'echo x > /usr/x', readOnly],
  ['writing below /etc', 'echo x > /etc/x', readOnly],
  ['writing over a program', 'echo x > /usr/bin/env', /Read-only|Permission denied/],
  ['writing to /', 'echo x > /x', readOnly],
  ['making a folder in /', 'mkdir /x', readOnly],
  ['writing to /dev', 'echo x > /dev/x', readOnly],
  ['reading through a symlink', 'ln -sf /etc/shadow s && cat s', absent],
  ['reading up a chain of ..', 'cat ../../../../../../../etc/shadow', absent],
  ['making a block device', 'mknod b b 8 0', notPermitted],
  ['making a character device', 'mknod c c 1 1', notPermitted],
  ['reading /dev/mem', 'cat /dev/mem', absent],
  ['reading the disk', 'cat /dev/vda', absent],
  ['reading memory of the kernel', 'cat /proc/kcore', denied],
  ['reading the log of the kernel', 'cat /dev/kmsg', absent],
  ['listing /sys', 'ls /sys', absent],
  ['a hard link to a file of the host', 'ln /etc/passwd p', /cross-device|not permitted/],
  ['moving a file of the host here', 'mv /etc/passwd .', readOnly],
  ['moving the workspace away', 'mv /workspace /tmp/x', /Read-only|busy/],
  ['removing the workspace', 'rmdir /workspace', /Read-only|busy|not empty/],
  ['opening the terminal', 'echo x > /dev/tty', /No such device/],
  ['the socket of docker', 'ls /var/run/docker.sock', absent],
  ['other sockets of the host', 'ls /run/docker.sock /run/podman /run/containerd', absent],
  ['the bus of the session', 'ls /run/user /run/dbus /tmp/.X11-unix', absent],
  ['the view before the root was changed', 'ls /oldroot /newroot', absent],
  ['a setuid mode', 'cp /bin/sh s1; chmod 4755 s1', notPermitted],
  ['a setgid mode', 'cp /bin/sh s2; chmod 2755 s2', notPermitted],
  ['a setuid file by install', 'install -m 4755 /bin/sh s3', notPermitted],
  ['a setuid file out of an archive', 'tar cf t -C /bin su; tar xpf t', notPermitted],
  ['a setgid folder', 'mkdir -m 2755 d1', notPermitted],
  ['a setuid file as it is made', sysopen('04755'), notPermitted],
];

function sysopen(mode: string): string {
  return `perl -MFcntl -e 'sysopen(F, "s4", O_CREAT|O_WRONLY, ${mode}) or die "$!\\n"'`;
}

underEachDaemon((mode) => {
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee', 'sam'],
    settings: { sandboxesReady: 2 },
  });

  test('files, folders and devices of the host are refused, and so are modes that give rights', async () => {
    // A user who has such a file already keeps it.
    const before = traces(daemon());

    const ends = await outcomes(refusals, async ([, command, told]) => {
      const answer = await daemon().sh('jean', command);
      const { exit_code, stdout, stderr = '' } = answer;
      const isRefused = exit_code !== 0 && stdout === '' && told.test(stderr);
      return isRefused ? 'refused' : answer;
    });

    expect(ends).toEqual(Object.fromEntries(refusals.map(([what]) => [what, 'refused'])));
    expect(traces(daemon())).toEqual(before);
  });

  test('nothing that it copies is setuid on the host', async () => {
    const copies = 'cp -p /usr/bin/su su; cp --preserve=all /usr/bin/passwd pw; ls -l /usr/bin/su';

    const { stdout } = await daemon().sh('jean', `${copies}; true`);

    expect(stdout).toContain('rws');
    const own = daemon().workspaceOf('jean');
    const withBits = readdirSync(own).filter((name) => (statAt(own, name) & 0o6000) !== 0);
    expect(withBits).toEqual([]);
  });

  test('capabilities cannot be put on a file', async () => {
    const setxattr = process.arch === 'x64' ? 188 : 5;
    const script = `open(F, ">f"); close F; my $v = pack("V5", 0x02000001, 0x2, 0, 0, 0);
      my ($f, $n) = ("f", "security.capability");
      my $r = syscall(${setxattr}, $f, $n, $v, 20, 0); print $r == -1 ? "refused" : "set"`;

    const { stdout } = await daemon().execute('jean', { program: 'perl', args: ['-e', script] });

    expect(stdout).toBe('refused');
  });

  test('the files of /etc are its own: no user of the host is in them', async () => {
    const { stdout } = await daemon().sh('jean', 'cat ../../../../etc/passwd; ls -A /etc');

    const names = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':')[0]);
    const theirs = names.filter((name) => name !== '' && name !== 'root');
    for (const name of theirs) expect(stdout).not.toMatch(new RegExp(`^${name}:`, 'm'));
    expect(stdout).not.toMatch(/shadow|ssh|sudoers|hostname|resolv/);
  });

  test('a symlink to a folder of the host leads nowhere, also as the folder of a call', async () => {
    const bait = daemon().folder.at('bait');
    mkdirSync(bait, { recursive: true, mode: 0o777 });
    const targets = [bait, `/oldroot${bait}`, `/newroot${bait}`, `/proc/1/root${bait}`];

    for (const target of targets) {
      await daemon().sh('jean', `rm -f a; ln -s ${target} a; echo x > a/f; mkdir a/d`);
      await daemon().sh('jean', 'echo x > f', { cwd: 'a' });
      await daemon().sh('jean', 'true', { cwd: '/workspace/a/f' });
    }

    expect(readdirSync(bait)).toEqual([]);
  });

  test('a symlink for a program leads to nothing of the host', async () => {
    const bait = daemon().folder.at('run-me');
    writeFileSync(bait, '#!/bin/sh\necho ran\n', { mode: 0o755 });
    await daemon().sh('jean', `rm -f p; ln -s ${bait} p`);

    const end = await endOf(daemon().execute('jean', { program: '/workspace/p' }));

    expect(JSON.stringify(end)).not.toContain('ran');
    expect(end).not.toMatchObject({ exit_code: 0 });
  });

  test('what the daemon reads for it does not follow its symlinks out', async () => {
    const own = daemon().workspaceOf('jean');
    await daemon().grant('jean', `file:${own}/**:read,write`);
    await daemon().sh('jean', `ln -sf /etc/shadow sl; ln -sfn / slash; mkfifo ff; true`);
    const read = (name: string) =>
      endOf(
        daemon()
          .agent('jean')
          .client.callTool('file.read', { args: { path: join(own, name) } }),
      );
    const write = (name: string) => {
      const args = { path: join(own, name), content: 'x' };
      return endOf(daemon().agent('jean').client.callTool('file.write', { args }));
    };

    const ends = [await read('sl'), await read('slash/etc/shadow'), await read('ff')];
    ends.push(await write('slash/tmp/aos-escaped'));

    for (const end of ends) expect(end).toMatch(/^(file|capability)\./);
    expect(existsSync('/tmp/aos-escaped')).toBe(false);
  });

  test('a workspace begins empty: nothing of its owner that runs by itself is there', async () => {
    const names = '.git .git/hooks .gitmodules .bashrc .profile .npmrc .mcp.json .vscode .ssh';

    const { stdout } = await daemon().sh('lee', `ls -A ~; for n in ${names}; do ls -d ~/$n; done`);

    expect(stdout).toBe('');
  });

  describe('in /proc', () => {
    test('the first process shows no environment, and no place of the host', async () => {
      const { stdout } = await daemon().sh(
        'jean',
        'cat /proc/1/environ; cat /proc/[0-9]*/cmdline | tr "\\0" " "',
      );

      expect(stdout).toContain(mode === 'root' ? 'bwrap' : 'ulimit');
      expect(stdout).not.toContain(daemon().home);
      expect(stdout).not.toContain('AOS_');
    });

    test('the root of every process is that of the sandbox', async () => {
      const look = 'for p in /proc/[0-9]*; do ls $p/root/ $p/root/../.. $p/cwd/../..; done';

      const { stdout = '', stderr } = await daemon().sh(
        'jean',
        `${look}; cat /proc/1/root/etc/shadow`,
      );

      expect(stdout.split('\n')).toContain('workspace');
      expect(stdout).not.toMatch(/^(root|home|boot|sys|opt|srv)$/m);
      expect(stderr).toMatch(denied);
    });

    test('it has three descriptors, and none of the launcher leads out', async () => {
      const { stdout = '' } = await daemon().sh('jean', 'ls /proc/self/fd; ls -l /proc/1/fd 2>&1');

      const own = stdout.split('\n').slice(0, 4);
      expect(own).toEqual(['0', '1', '2', '3']);
      const others = stdout
        .split('\n')
        .slice(4)
        .filter((line) => line.includes('->'));
      for (const line of others) expect(line).toMatch(/sandbox\/pipes\/\d+$|eventfd\]$/);
    });

    test('what steers the kernel of the host cannot be written', async () => {
      const places = [
        ...['kernel/core_pattern', 'kernel/hostname', 'kernel/modprobe', 'kernel/sysrq'],
        ...['net/ipv4/ip_forward', 'vm/drop_caches', 'vm/overcommit_memory', 'fs/file-max'],
        ...['kernel/randomize_va_space', 'user/max_user_namespaces', 'fs/binfmt_misc/register'],
      ].map((name) => `/proc/sys/${name}`);
      const all = [...places, '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/mtrr'];

      const { stdout } = await daemon().sh(
        'jean',
        `for f in ${all.join(' ')}; do test -w $f && echo $f; done; true`,
      );

      expect(stdout).toBe('');
    });

    test('of /proc/sys only what is of its own namespaces can be written', async () => {
      const { stdout = '' } = await daemon().sh(
        'jean',
        'find /proc/sys -type f -writable 2>/dev/null; true',
      );

      const ofNamespaces =
        /^\/proc\/sys\/(fs\/mqueue\/|kernel\/(ns_last_pid|pid_max|sem|auto_msgmni|msg|shm))/;
      expect(stdout.split('\n').filter((line) => line !== '' && !ofNamespaces.test(line))).toEqual(
        [],
      );
    });

    test('no place where something is mounted can be opened again', async () => {
      const tries = 'mount -o remount,rw /; mount --bind /tmp /usr; umount -l /usr; umount /tmp';

      const { stdout } = await daemon().sh(
        'jean',
        `${tries}; test -w / && echo open; test -w /usr && echo open; test -x /usr/bin/env && echo there`,
      );

      expect(stdout).toBe('there\n');
    });
  });

  test('a workspace that was closed to its owner holds up nobody', async () => {
    await daemon().sh('sam', 'chmod 000 /workspace');

    const beganMs = performance.now();
    const args = { program: 'true', timeout_ms: 2000 };
    const end = await endOf(daemon().execute('sam', args, { timeoutMs: 5000 }));
    chmodSync(daemon().workspaceOf('sam'), 0o700);
    const after = await endOf(daemon().execute('sam', args, { timeoutMs: 5000 }));

    expect(end).not.toBe('tool.timeout');
    expect(performance.now() - beganMs).toBeLessThan(limitMs(4000));
    expect(after).toMatchObject({ exit_code: 0 });
  });

  test('what one call leaves in its pipes is not read by the next', async () => {
    const poison = 'for i in 1 2 3; do echo poison >> /proc/self/fd/0; done 2>/dev/null; exit 0';

    for (let time = 0; time < 5; time++) await daemon().sh('jean', poison, { stdin: 'x' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        daemon().execute('lee', { program: 'cat', stdin: 'mine', timeout_ms: 10_000 }),
      ),
    );

    expect(answers.map(({ stdout }) => stdout)).toEqual(Array(5).fill('mine'));
  });
});

function statAt(folder: string, name: string): number {
  return statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0;
}

/** Names that the attempts above would have left. */
function traces({ folder }: SandboxDaemon): readonly string[] {
  return ['/x', '/usr/x', '/etc/x', '/dev/x', '/tmp/x', folder.at('f')].filter(existsSync);
}
