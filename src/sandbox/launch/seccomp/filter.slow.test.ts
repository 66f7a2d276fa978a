/** The filters in the real kernel, by real bubblewrap, around real programs. */
import { spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { numberOf, type SyscallName } from '../../../../scripts/seccomp/numbers.ts';
import { hasSandbox, isInstalled, isRoot } from '../../../../tests/support/machine.ts';
import {
  type TemporaryFolder,
  temporaryFolder,
} from '../../../../tests/support/temporary-folder.ts';
import { type SeccompKind, seccompFilter } from './filter.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const otherArchitecture = architecture === 'x64' ? 'arm64' : 'x64';
const launcher = 'bwrap';
const systemPython = '/usr/bin/python3';

/** Every right there is in a user namespace of its own: what is refused, the filter refuses. */
const allRights = ['--unshare-user', '--uid', '0', '--gid', '0', '--cap-add', 'ALL'];
/** As a daemon of root's does it: the program gives up its rights behind the filter. */
const rightsToStepDown = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((right) => [
  '--cap-add',
  right,
]);

interface Wanted {
  readonly filter: Uint8Array | undefined;
  readonly rights?: readonly string[];
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runInside(
  folder: TemporaryFolder,
  { filter, rights = allRights }: Wanted,
  command: readonly string[],
): Ended {
  const flags = [
    ...rights,
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/workspace'],
    ...['--ro-bind', '/usr', '/usr', '--ro-bind', process.execPath, '/node'],
    ...['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--bind', folder.at('workspace'), '/workspace', '--chdir', '/workspace'],
    ...(filter === undefined ? [] : ['--seccomp', '3']),
  ];
  mkdirSync(folder.at('workspace'), { recursive: true });
  writeFileSync(folder.at('filter'), filter ?? '');
  const descriptor = openSync(folder.at('filter'), 'r');
  try {
    const { status, stdout, stderr } = spawnSync(launcher, [...flags, '--', ...command], {
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
      encoding: 'utf8',
      timeout: programMs,
    });
    return { code: status, stdout, stderr };
  } finally {
    closeSync(descriptor);
  }
}

const filterFor = (kind: SeccompKind): Wanted => ({ filter: seccompFilter(architecture, kind) });

/** One line of Perl for each probe, with what it prints: the error's number, or 0. */
function probe(folder: TemporaryFolder, wanted: Wanted, probes: Readonly<Record<string, string>>) {
  const program = [
    'sub e { $_[0] == -1 ? $! + 0 : 0 }',
    'sub ok { $_[0] ? 0 : $! + 0 }',
    ...Object.entries(probes).map(([name, code]) => `print "${name} ", ${code}, "\\n";`),
  ].join('\n');
  const { code, stdout, stderr } = runInside(folder, wanted, ['perl', '-e', program]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([k, v]) => [k, Number(v)]));
}

function call(name: SyscallName, ...args: string[]): string {
  return `e(syscall(${[numberOf(name, architecture), ...args].join(', ')}))`;
}

const EPERM = 1;
const ESRCH = 3;
const EIO = 5;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** Each call as an attacker would make it, or as harmless a form of it as there is. */
const refusedCalls: Readonly<Record<string, readonly [code: string, errorNumber: number]>> = {
  ptrace: [call('ptrace', '0x4206', '99999', '0', '0'), EPERM],
  process_vm_readv: [call('process_vm_readv', '1', '0', '0', '0', '0', '0'), EPERM],
  io_uring_setup: [call('io_uring_setup', '0', '0'), EPERM],
  keyctl: [call('keyctl', '0', '-3', '0'), EPERM],
  bpf: [call('bpf', '0', '0', '0'), EPERM],
  userfaultfd: [call('userfaultfd', '1'), EPERM],
  perf_event_open: [call('perf_event_open', '0', '0', '-1', '-1', '0'), EPERM],
  unshare: [call('unshare', '0x04000000'), EPERM],
  unshareUser: [call('unshare', '0x10000000'), EPERM],
  cloneUser: [call('clone', '0x10000011', '0', '0', '0', '0'), EPERM],
  clone3: [call('clone3', '0', '88'), ENOSYS],
  openat2: [call('openat2', '-100', '0', '0', '24'), ENOSYS],
  mount: [call('mount', '0', '0', '0', '0', '0'), EPERM],
  chroot: ['ok(chroot("/tmp"))', EPERM],
  personality: [call('personality', '0x0400000'), EPERM],
  newCall: ['e(syscall(9999))', ENOSYS],
  setuidFile: ['ok(chmod 04755, "tool")', EPERM],
  setgidFile: ['ok(chmod 02755, "tool")', EPERM],
  setuidByDescriptor: ['do { open my $f, "<", "tool"; ok(chmod 04755, $f) }', EPERM],
  setuidNewFile: ['ok(sysopen my $g, "new", 0101, 04755)', EPERM],
  setuidNode: [`do { my $n = "node"; ${call('mknodat', '-100', '$n', '0104755', '0')} }`, EPERM],
  fallocate: [
    `do { open my $f, ">", "big"; ${call('fallocate', 'fileno($f)', '0', '0', '65536')} }`,
    EOPNOTSUPP,
  ],
  fallocateByIoctl: [
    `do { open my $f, ">", "big"; my $r = pack "ssx4qqx24", 0, 0, 0, 65536; ${call('ioctl', 'fileno($f)', '0x4030582a', '$r')} }`,
    EOPNOTSUPP,
  ],
  netlink: ['ok(socket my $s, 16, 3, 0)', EAFNOSUPPORT],
  packet: ['ok(socket my $s, 17, 3, 0)', EAFNOSUPPORT],
  vsock: ['ok(socket my $s, 40, 1, 0)', EAFNOSUPPORT],
  alg: ['ok(socket my $s, 38, 5, 0)', EAFNOSUPPORT],
  raw: ['ok(socket my $s, 2, 3, 1)', EPERM],
  sctp: ['ok(socket my $s, 2, 1, 132)', EPROTONOSUPPORT],
};

const codesOf = (calls: typeof refusedCalls) =>
  Object.fromEntries(Object.entries(calls).map(([name, [code]]) => [name, code]));
const errorsOf = (calls: typeof refusedCalls) =>
  Object.fromEntries(Object.entries(calls).map(([name, [, errorNumber]]) => [name, errorNumber]));

function folderWithTool(): TemporaryFolder {
  const folder = temporaryFolder();
  mkdirSync(folder.at('workspace'));
  copyFileSync('/bin/true', folder.at('workspace', 'tool'));
  return folder;
}

// A terminal of its own, which it controls, and then a letter typed into it.
const typeIntoTerminal = (request: string) => `
  use POSIX;
  $SIG{HUP} = "IGNORE";
  POSIX::setsid();
  sysopen my $m, "/dev/ptmx", 2 or die "ptmx: $!";
  my $number = pack "i", 0;
  my $unlock = pack "i", 0;
  ioctl $m, 0x80045430, $number or die "number: $!";
  ioctl $m, 0x40045431, $unlock or die "unlock: $!";
  sysopen my $t, "/dev/pts/" . unpack("i", $number), 2 or die "terminal: $!";
  my $letter = "x";
  print syscall(${numberOf('ioctl', architecture)}, fileno($t), ${request}, $letter) == -1 ? $! + 0 : 0;`;

describe.skipIf(!hasSandbox || !isInstalled('perl'))('in the kernel,', () => {
  describe.each(['tool', 'body'] as const)('the filter of a %s', (kind) => {
    test('refuses what attacks are made of, to whoever has every right', async () => {
      await using folder = folderWithTool();

      const given = probe(folder, filterFor(kind), codesOf(refusedCalls));

      expect(given).toEqual(errorsOf(refusedCalls));
    });

    test.each([
      ['TIOCSTI', '0x5412'],
      ['TIOCSTI with a bit that the kernel does not look at', '0x5412 | 1 << 32'],
      ['TIOCLINUX', '0x541c'],
      ['TIOCLINUX with a bit that the kernel does not look at', '0x541c | 1 << 32'],
      ['TIOCSETD', '0x5423'],
    ])('refuses %s on a terminal of its own', async (_name, request) => {
      await using folder = temporaryFolder();

      const ended = runInside(folder, filterFor(kind), ['perl', '-e', typeIntoTerminal(request)]);

      expect(ended).toEqual({ code: 0, stdout: `${EPERM}`, stderr: '' });
    });

    test('lets shells, pipes and signals be', async () => {
      await using folder = temporaryFolder();
      const script =
        'set -e; seq 1000 | sort -rn | head -n 1; sleep 60 & kill $!; mkdir -p a/b; cp /bin/true a/b; chmod 755 a/b/true; a/b/true; setarch $(uname -m) true; find . -name true';

      const ended = runInside(folder, filterFor(kind), ['sh', '-c', script]);

      expect(ended).toEqual({ code: 0, stdout: '1000\n./a/b/true\n', stderr: '' });
    });

    test('lets Node be: threads, children, their channels, the loopback', async () => {
      await using folder = temporaryFolder();
      mkdirSync(folder.at('workspace'));
      writeFileSync(folder.at('workspace', 'program.mjs'), nodeProgram);

      const ended = runInside(folder, filterFor(kind), ['/node', 'program.mjs']);

      expect(ended).toEqual({ code: 0, stdout: 'thread child fork loopback\n', stderr: '' });
    });

    test.skipIf(!isInstalled('git'))('lets git be', async () => {
      await using folder = temporaryFolder();
      const script =
        'set -e; git init -q r; cd r; echo a > a; git add a; git -c user.name=a -c user.email=a@b commit -qm one; git clone -q . ../s; git -C ../s log --format=%s';

      const ended = runInside(folder, filterFor(kind), ['sh', '-c', script]);

      expect(ended).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    });

    test.skipIf(!isInstalled('tar'))('lets tar be', async () => {
      await using folder = temporaryFolder();
      const script =
        'set -e; mkdir in out; echo a > in/a; ln -s a in/b; mkfifo in/c; tar -czf t.tgz in; tar -xzpf t.tgz -C out; ls out/in';

      const ended = runInside(folder, filterFor(kind), ['sh', '-c', script]);

      expect(ended).toEqual({ code: 0, stdout: 'a\nb\nc\n', stderr: '' });
    });

    test.skipIf(!existsSync(systemPython))('lets Python be', async () => {
      await using folder = temporaryFolder();

      const ended = runInside(folder, filterFor(kind), [systemPython, '-c', pythonProgram]);

      expect(ended).toEqual({ code: 0, stdout: '3 9 child\n', stderr: '' });
    });

    test.skipIf(!isRoot)('lets setpriv step down', async () => {
      await using folder = temporaryFolder();
      const rights = ['--cap-drop', 'ALL', ...rightsToStepDown];
      const stepDown = [
        ...['setpriv', '--reuid=231072', '--regid=231072', '--clear-groups', '--inh-caps=-all'],
        ...['--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs', 'sh', '-c'],
        'id -u; id -G; grep -c "Cap.*0000000000000000" /proc/self/status',
      ];

      const ended = runInside(folder, { ...filterFor(kind), rights }, stepDown);

      expect(ended).toEqual({ code: 0, stdout: '231072\n231072\n5\n', stderr: '' });
    });
  });

  // Bound to a name, and reached by one half of a pair that was never bound.
  const unixSockets = {
    socket: 'ok(socket my $s, 1, 1, 0)',
    pair: 'ok(socketpair my $a, my $b, 1, 1, 0)',
    datagramPair: 'ok(socketpair $half, $other, 1, 2, 0)',
    toName:
      'do { socket $named, 1, 2, 0; my $n = pack "sa*x", 1, "named"; bind $named, $n; ok(send $half, "x", 0, $n) }',
  };

  test('a tool opens no unix socket, and a pair only of a kind that stays one', async () => {
    await using folder = temporaryFolder();
    const { toName: _, ...opened } = unixSockets;

    const given = probe(folder, filterFor('tool'), opened);

    expect(given).toEqual({ socket: EAFNOSUPPORT, pair: 0, datagramPair: EPERM });
  });

  test('a body opens unix sockets of every kind', async () => {
    await using folder = temporaryFolder();

    const given = probe(folder, filterFor('body'), unixSockets);

    expect(given).toEqual({ socket: 0, pair: 0, datagramPair: 0, toName: 0 });
  });

  test('without a filter the same attempts get through', async () => {
    await using folder = folderWithTool();
    const calls = [
      ...['unshare', 'personality', 'netlink', 'setuidFile', 'setuidNewFile', 'setuidNode'],
      ...['fallocate', 'fallocateByIoctl', 'ptrace', 'chroot'],
    ];
    const probes = Object.entries(codesOf(refusedCalls)).filter(([name]) => calls.includes(name));

    const given = probe(folder, { filter: undefined }, Object.fromEntries(probes));

    const through = Object.fromEntries(calls.map((name) => [name, 0]));
    expect(given).toEqual({ ...through, ptrace: ESRCH });
  });

  test('without a filter the kernel has no objection to typing into a terminal', async () => {
    await using folder = temporaryFolder();
    const command = ['perl', '-e', typeIntoTerminal('0x5412')];

    const { stdout } = runInside(folder, { filter: undefined }, command);

    // Where the machine's owner has switched it off, it is an error of another kind.
    expect([0, EIO]).toContain(Number(stdout));
  });

  test('the filter of another architecture kills at the first call', async () => {
    await using folder = temporaryFolder();
    const filter = seccompFilter(otherArchitecture, 'tool');

    const ended = runInside(folder, { filter }, ['/bin/true']);

    // 128 and SIGSYS.
    expect(ended.code).toBe(128 + 31);
  });

  test.skipIf(architecture !== 'x64')('a call of x32 is one that there is not', async () => {
    await using folder = temporaryFolder();

    const given = probe(folder, filterFor('tool'), { getpid: 'e(syscall(0x40000000 | 39))' });

    expect(given).toEqual({ getpid: ENOSYS });
  });
});

const nodeProgram = `
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
if (process.send) {
  process.send('fork');
} else {
  writeFileSync('file', 'text', { mode: 0o600 });
  const worker = new Worker("require('node:worker_threads').parentPort.postMessage('thread')", { eval: true });
  const [fromThread] = await once(worker, 'message');
  const fromChild = execFileSync('echo', ['child']).toString().trim();
  const child = fork('program.mjs');
  const [fromFork] = await once(child, 'message');
  const server = createServer((socket) => socket.end('loopback')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [fromServer] = await once(connect(server.address().port, '127.0.0.1'), 'data');
  server.close();
  console.log(fromThread, fromChild, fromFork, String(fromServer));
}`;

const pythonProgram = `
import concurrent.futures, multiprocessing, subprocess, tempfile
with concurrent.futures.ThreadPoolExecutor() as pool: one = sum(pool.map(int, '111'))
with multiprocessing.Pool(2) as pool: two = sum(pool.map(int, '333'))
with tempfile.TemporaryDirectory() as folder: pass
print(one, two, subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout.strip())`;

import { programMs } from '../../../../tests/support/limits.ts';
