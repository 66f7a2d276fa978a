/** What a program in a sandbox asks of the kernel that no agent's program should get. */
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Architecture, numberOf, type SyscallName } from '../../scripts/seccomp/numbers.ts';
import { isRoot } from '../support/machine.ts';
import {
  oneSandboxDaemon,
  outcomes,
  processesWith,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { until } from '../support/until.ts';

const errors = { 1: 'EPERM', 38: 'ENOSYS', 95: 'EOPNOTSUPP', 97: 'EAFNOSUPPORT' } as const;

// They are run where there are filters: on these two.
const architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

/** Perl asks; what it prints is the name of the refusal, or that it worked. */
function asked(name: SyscallName, args: string): readonly string[] {
  const number = numberOf(name, architecture);
  // It writes to its texts, so that they have to be variables.
  const given = args.replaceAll(/"[^"]*"/g, (text, at) => `(my $s${at} = ${text})`);
  const names = Object.entries(errors).map(([code, word]) => `${code} => "${word}"`);
  const print = `my %n = (${names.join(', ')}); my $e = $! + 0; print $r >= 0 ? "worked" : $n{$e} // $e`;
  return ['-e', `my $r = syscall(${number}${given === '' ? '' : `, ${given}`}); ${print}`];
}

const newUser = 0x1000_0000;
const newNet = 0x4000_0000;
const newMount = 0x0002_0000;

const calls: readonly (readonly [what: string, call: SyscallName, args: string, told: string])[] = [
  ['a namespace of users', 'unshare', String(newUser), 'EPERM'],
  ['a namespace of networks', 'unshare', String(newNet), 'EPERM'],
  ['a namespace of mounts', 'unshare', String(newMount), 'EPERM'],
  ['a child in a namespace of users', 'clone', `${newUser | 17}, 0, 0, 0, 0`, 'EPERM'],
  ['clone3, which hides what it asks for', 'clone3', '0, 0', 'ENOSYS'],
  ['to enter a namespace', 'setns', '0, 0', 'EPERM'],
  ['to mount', 'mount', '"none", "/tmp", "tmpfs", 0, 0', 'EPERM'],
  ['to unmount', 'umount2', '"/usr", 2', 'EPERM'],
  ['to open a tree of mounts', 'open_tree', '-100, "/", 1', 'EPERM'],
  ['to move a mount', 'move_mount', '-100, "/", -100, "/tmp", 0', 'EPERM'],
  ['to change a mount', 'mount_setattr', '-100, "/", 0, 0, 0', 'EPERM'],
  ['another root', 'chroot', '"/tmp"', 'EPERM'],
  ['to trace its parent', 'ptrace', '16, 1, 0, 0', 'EPERM'],
  ['to be traced', 'ptrace', '0, 0, 0, 0', 'EPERM'],
  ['to write memory of another', 'process_vm_writev', '1, 0, 0, 0, 0, 0', 'EPERM'],
  ['to read memory of another', 'process_vm_readv', '1, 0, 0, 0, 0, 0', 'EPERM'],
  ['descriptors of another', 'pidfd_getfd', '0, 0, 0', 'EPERM'],
  ['io_uring_setup', 'io_uring_setup', '8, 0', 'EPERM'],
  ['io_uring_enter', 'io_uring_enter', '0, 0, 0, 0, 0', 'EPERM'],
  ['bpf', 'bpf', '0, 0, 0', 'EPERM'],
  ['keyctl', 'keyctl', '0, -4, 1', 'EPERM'],
  ['add_key', 'add_key', '"user", "x", "y", 1, -4', 'EPERM'],
  ['userfaultfd', 'userfaultfd', '0', 'EPERM'],
  ['perf_event_open', 'perf_event_open', '0, 0, -1, -1, 0', 'EPERM'],
  ['files by their inode', 'open_by_handle_at', '-100, 0, 0', 'EPERM'],
  ['the handle of a file', 'name_to_handle_at', '-100, "/usr", 0, 0, 0', 'EPERM'],
  ['another kernel', 'kexec_load', '0, 0, 0, 0', 'EPERM'],
  ['a module', 'finit_module', '0, "", 0', 'EPERM'],
  ['another time', 'settimeofday', '0, 0', 'EPERM'],
  ['another name of the machine', 'sethostname', '"evil", 4', 'EPERM'],
  ['the log of the kernel', 'syslog', '3, 0, 0', 'EPERM'],
  ['an odd personality', 'personality', '0x0400000', 'EPERM'],
  ['room without writing', 'fallocate', '1, 0, 0, 1048576', 'EOPNOTSUPP'],
  ['secret memory', 'memfd_secret', '0', 'ENOSYS'],
  ['to type into a terminal', 'ioctl', '0, 0x5412, "x"', 'EPERM'],
  [
    'the terminal with a high half (CVE-2019-10063)',
    'ioctl',
    '0, 0x5412 | (1 << 32), "x"',
    'EPERM',
  ],
  ['to paste into a console', 'ioctl', '0, 0x541c, "\\x03"', 'EPERM'],
  ['the console with a high half', 'ioctl', '0, 0x541c | (1 << 33), "\\x03"', 'EPERM'],
  ['a line discipline', 'ioctl', '0, 0x5423, "\\x00"', 'EPERM'],
  ['a unix socket (X11, abstract)', 'socket', '1, 1, 0', 'EAFNOSUPPORT'],
  ['a socket to the hypervisor', 'socket', '40, 1, 0', 'EAFNOSUPPORT'],
  ['a socket to the kernel', 'socket', '16, 3, 0', 'EAFNOSUPPORT'],
  ['a socket for packets', 'socket', '17, 3, 0', 'EAFNOSUPPORT'],
  ['a socket for cryptography', 'socket', '38, 5, 0', 'EAFNOSUPPORT'],
  ['a unix socket with a high half', 'socket', '1 | (1 << 32), 1, 0', 'EAFNOSUPPORT'],
  ['a raw socket', 'socket', '2, 3, 1', 'EPERM'],
  ['a pair that can be turned to others', 'socketpair', '1, 2, 0, 0', 'EPERM'],
];

underEachDaemon((mode) => {
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee'],
    settings: { sandboxesReady: 2 },
  });
  const perl = async (...args: readonly string[]) => {
    const { stdout, stderr } = await daemon().execute('jean', { program: 'perl', args });
    return `${stdout}${stderr}`;
  };

  describe('it is refused', () => {
    test('with what other programs of an agent never need', async () => {
      const told = await outcomes(calls, ([, call, args]) => perl(...asked(call, args)));

      expect(told).toEqual(Object.fromEntries(calls.map(([what, , , word]) => [what, word])));
    });

    test('calls of the 32-bit kind: whoever makes one is killed', async () => {
      // No program of that kind is at hand, so that the page of code is written by hand:
      // "int 0x80" with the number of getpid, 20.
      if (architecture !== 'x64') return;
      const code = '\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3';
      const script = `my $p = syscall(9, 0, 4096, 7, 0x22, -1, 0); my $c = "${code}";
        open(M, "+<", "/proc/self/mem") or die; sysseek(M, $p, 0); syswrite(M, $c) or die "$!";
        require DynaLoader; my $f = DynaLoader::dl_install_xsub("main::go", $p); go(); print "came back"`;

      const answer = await daemon().execute('jean', { program: 'perl', args: ['-e', script] });

      expect(answer).toMatchObject({ signal: 'SIGSYS', stdout: '' });
    });

    test('a number that no call has', async () => {
      const print = 'print $r == -1 ? $! + 0 : "worked"';

      expect(await perl('-e', `my $r = syscall(9999); ${print}`)).toBe('38');
    });
  });

  test('it runs without any power of root, and cannot get new ones', async () => {
    const { stdout = '' } = await daemon().sh('jean', 'cat /proc/self/status; id -u');

    const powers = [...stdout.matchAll(/^Cap\w+:\s+(\w+)$/gm)].map(([, value]) => value);
    expect(powers).toEqual(Array(5).fill('0'.repeat(16)));
    expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(stdout).toMatch(/^Seccomp:\s+2$/m);
    expect(stdout).not.toMatch(/^0$/m);
  });

  test('on the host it is neither root nor, under root, anybody that others are', async () => {
    const running = daemon().sh('jean', 'touch mine; sleep 20; : host-uid-marker', {
      timeout_ms: 500,
    });
    const uids = await until(() => {
      // The launcher and what has still to become the program do not have the words.
      const found = processesWith('host-uid-marker').map(uidOf);
      expect(found).not.toEqual([]);
      return found;
    });
    await running;

    const others = [0, process.getuid?.()];
    expect(uids.filter((uid) => isRoot && others.includes(uid))).toEqual([]);
  });

  test('processes of the host are not there to be signalled', async () => {
    const pids = [process.pid, process.ppid, daemon().daemon.pid];

    for (const pid of pids) {
      const { exit_code, stderr } = await daemon().sh('jean', `kill -0 ${pid}`);
      expect(exit_code).not.toBe(0);
      expect(stderr).toMatch(/No such process/);
    }
  });

  test('whoever kills everybody kills only itself', async () => {
    const { stdout, exit_code } = await daemon().sh('jean', 'kill -9 -1; echo alone');
    const after = await daemon().sh('lee', 'echo well');

    expect([stdout, exit_code]).toEqual(['alone\n', 0]);
    expect(after.stdout).toBe('well\n');
    expect(await daemon().client.status()).toMatchObject({ pid: daemon().daemon.pid });
  });

  test('memory of the first process is neither read nor written, by a call or a program', async () => {
    const mark = 'written-from-inside';
    await daemon().client.spawn('poker', { cli: ['perl', '-e', poke, mark] });

    const tried = [await perl('-e', poke, mark), await perl('-e', peek, mark)];

    expect(tried).toEqual(['denied', 'denied']);
    const program = await until(async () => {
      const details = await daemon().client.agentDetails('poker');
      expect(details.state).toBe('completed');
      return details;
    });
    expect(program.log_tail).toBe('denied');
  });

  test('what the first process has open is not opened, and it is not stopped', async () => {
    const { stdout, stderr } = await daemon().sh(
      'jean',
      'for f in /proc/1/fd/*; do cat <$f; done; cat /proc/1/environ; kill -STOP 1; kill -9 1; echo on',
    );

    expect(stdout).toBe('on\n');
    expect(stderr).toMatch(/denied/);
  });

  test('a terminal of its own is all that it can open, and none is typed into', async () => {
    const script = `use Fcntl; sysopen(P, "/dev/ptmx", O_RDWR) or die "none";
      my $c = "x"; my $r = ioctl(P, 0x5412, $c); print defined $r ? "typed" : "refused " . ($! + 0)`;

    expect(await perl('-e', script)).toBe('refused 1');
  });
});

// The lowest part of the stack of process 1: it can be written, and nothing is in it.
const stackOfFirst = String.raw`my $mark = shift; my ($from, $to);
  if (open(MAPS, "<", "/proc/1/maps")) {
    while (<MAPS>) { ($from, $to) = (hex $1, hex $2) if /^(\w+)-(\w+) rw.*\[stack\]/ }
  }
  $from //= 4096;
  sub at_stack { sysopen(M, "/proc/1/mem", $_[0]) or print("denied"), exit; sysseek(M, $from, 0) }`;
const poke = `${stackOfFirst} at_stack(2); syswrite(M, $mark) or print("denied"), exit;
  at_stack(0); sysread(M, my $back, length $mark); print $back eq $mark ? "wrote" : "lost"`;
const peek = `${stackOfFirst} at_stack(0); sysread(M, my $all, $to - $from) or print("denied"), exit;
  print index($all, $mark) < 0 ? "not there" : "there"`;

function uidOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}
