/** What careful readers got a program in a sandbox to do: each of them is tried again. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { type Architecture, numberOf } from '../../scripts/seccomp/numbers.ts';
import {
  type Executed,
  longTest,
  oneSandboxDaemon,
  outcomes,
  processesWith,
  type SandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

// They are run where there are filters: on these two.
const architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

const mostFiles = 300;
underEachDaemon((mode) => {
  const long = longTest(mode);
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee', 'mia', 'sam', 'tim', 'zoe'],
    settings: { sandboxesReady: 6, workspaceMegabytes: 24, workspaceFiles: mostFiles },
  });

  test('by what it calls a program nobody learns which files and processes the host has', async () => {
    writeFileSync(daemon().folder.at('there'), 'x');
    await daemon().sh('jean', 'ln -s / r; mkdir d; ln -s ../../../../../../.. d/up');
    const places = [
      ['a file that is there', daemon().folder.at('there')],
      ['one that is not', daemon().folder.at('gone')],
      ['the keys of the home', join(daemon().home, 'keys')],
      ['a process', `/proc/${daemon().daemon.pid}/cwd`],
      ['a number that no process has', '/proc/4194305/cwd'],
    ] as const;
    const ways = ['/workspace/r', 'r', './d/../r', '/workspace/d/up', '/usr/../workspace/r'];
    const rows = places.flatMap(([what, path]) =>
      ways.map((way) => [`${what}, by ${way}`, way + path] as const),
    );

    const told = await outcomes(rows, async ([, program]) => {
      const end = await endOf(daemon().execute('jean', { program }));
      return typeof end === 'string' ? end : (end as Executed).exit_code;
    });

    // By the shell inside, for which none of them is there.
    expect(told).toEqual(Object.fromEntries(rows.map(([what]) => [what, 127])));
  });

  long('an order of very many lines is begun at once, and comes whole', async () => {
    const lines = 'x\n'.repeat(60_000);
    const count = 'print scalar(@ARGV), " ", join("", @ARGV) =~ tr/\\n//';
    const args = ['-e', count, ...Array<string>(4).fill(lines)];

    const end = await endOf(
      daemon().execute('jean', { program: 'perl', args }, { timeoutMs: 15_000 }),
    );

    expect(end).toMatchObject({ exit_code: 0, stdout: '4 240000' });
  });

  test('none is made ready for an agent that was terminated in the middle of its call', async () => {
    const ending = endOf(daemon().sh('tim', 'sleep 60'));
    await until(() => expect(launchersFor(daemon(), 'tim')).not.toEqual([]));

    await daemon().client.killAgent('tim');
    await ending;
    // By when this one is there, that one would be, too.
    await daemon().sh('sam', 'true');
    await until(() => expect(launchersFor(daemon(), 'sam')).not.toEqual([]));

    expect(launchersFor(daemon(), 'tim')).toEqual([]);
  });

  test('one that was made ready is not used when the workspace is another one', async () => {
    const [workspace, aside] = [daemon().workspaceOf('mia'), daemon().folder.at('aside')];
    await daemon().sh('mia', 'touch old');
    await until(() => expect(launchersFor(daemon(), 'mia')).not.toEqual([]));

    renameSync(workspace, `${workspace}-before`);
    const { stdout } = await daemon().sh('mia', 'ls; touch new');
    renameSync(`${workspace}-before`, aside);

    expect(stdout).toBe('');
    expect(readdirSync(aside)).toEqual(['old']);
    expect(existsSync(join(workspace, 'new'))).toBe(true);
    rmSync(aside, { recursive: true });
  });

  test('watches of files, which are counted for the whole user, are refused', async () => {
    const calls = [
      ...(architecture === 'x64' ? [numberOf('inotify_init', architecture)] : []),
      numberOf('inotify_init1', architecture),
    ];
    const ask = calls.map((call) => `print syscall(${call}, 0), " ", $! + 0, "\\n";`).join(' ');

    const { stdout } = await daemon().execute('jean', { program: 'perl', args: ['-e', ask] });

    expect(stdout).toBe('-1 38\n'.repeat(calls.length));
  });

  long(
    'in a workspace that is too full nothing is made, and it does not grow call by call',
    async () => {
      const make = `my $end = Time::HiRes::time() + 0.1; mkdir "more$$-" . $i++ while Time::HiRes::time() < $end; print $! + 0`;
      const fill = { program: 'perl', args: ['-MTime::HiRes', '-e', make] };
      const refused = 122;
      await daemon().sh('zoe', 'echo before > f; mkdir e; truncate -s 1M hole');
      const isFull = async () => {
        const { stdout } = await daemon().execute('zoe', fill);
        return Number(stdout) === refused;
      };

      // The first ones may be over before anybody has looked.
      await until(async () => expect(await isFull()).toBe(true));
      const before = entriesIn(daemon(), 'zoe');
      const again: boolean[] = [];
      for (let count = 0; count < 5; count++) again.push(await isFull());
      const told = await outcomes(waysToMake, async ([, line]) => {
        const { exit_code, stopped_by } = await daemon().sh('zoe', line);
        return exit_code === 0 ? 'made' : (stopped_by ?? 'refused');
      });

      expect(again).toEqual(Array(5).fill(true));
      expect(entriesIn(daemon(), 'zoe')).toBe(before);
      expect(told).toEqual(Object.fromEntries(waysToMake.map(([what, , end]) => [what, end])));
    },
  );

  long('a workspace that has just been emptied is used as any other, at once', async () => {
    const fill = `for i in $(seq ${2 * mostFiles}); do mkdir d$i; done; sleep 5`;

    const filled = await daemon().sh('lee', fill);
    const written = await daemon().sh('lee', 'echo x >> f');
    const emptied = await daemon().sh('lee', 'rmdir d*; ls');
    const after = await daemon().sh('lee', 'echo hello > x; cat x');

    expect(filled).toMatchObject({ stopped_by: 'workspace' });
    expect(written.exit_code).not.toBe(0);
    expect(written.stopped_by).not.toBe('file-size');
    expect(emptied).toMatchObject({ exit_code: 0, stdout: '' });
    expect(after).toMatchObject({ exit_code: 0, stopped_by: null, stdout: 'hello\n' });
  });
});

// One end of a pair of sockets gets a name in the folder.
const bindPair = `perl -MSocket -e 'socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) or exit 1;
  bind(A, sockaddr_un("n6")) or exit 1'`;

// No filter looks at these.
const plain = { x64: { read: 0, mprotect: 10 }, arm64: { read: 63, mprotect: 226 } }[architecture];

// What is written through a shared mapping is no write to the file, as far as limits go.
const protect = `syscall(${plain.mprotect}, $at, 1 << 20, 3)`;
const writeToHole = (rights: number, then = '1') => `perl -e 'open(F, "+<", "hole") or exit 1;
  my $at = syscall(${numberOf('mmap', architecture)}, 0, 1 << 20, ${rights}, 1, fileno(F), 0);
  $at > 0 or exit 1; ${then}; open(Z, "<", "/dev/zero");
  exit(syscall(${plain.read}, fileno(Z), $at, 1 << 20) <= 0)'`;

/** In a workspace that is too full: a line for the shell, and how it ends. */
const waysToMake: readonly (readonly [what: string, line: string, end: string])[] = [
  ['a file', ': > n1', 'refused'],
  [
    'a file without a name',
    `perl -MFcntl -e 'sysopen(F, ".", 020200002, 0600) or exit 1'`,
    'refused',
  ],
  ['a folder', 'mkdir n2', 'refused'],
  ['a symlink', 'ln -s x n3', 'refused'],
  ['a second name', 'ln f n4', 'refused'],
  ['a pipe', 'mkfifo n5', 'refused'],
  [
    'more in a file',
    `perl -e 'open(F, "+<", "f"); seek(F, 0, 2); print F "more"; close F or exit 1'`,
    'workspace',
  ],
  [
    'other words in a file',
    `perl -e 'open(F, "+<", "f"); print F "other"; close F or exit 1'`,
    'workspace',
  ],
  ['a longer file', 'truncate -c -s 1M f', 'workspace'],
  ['a socket', bindPair, 'refused'],
  ['pages in a hole', writeToHole(3), 'refused'],
  ['pages in a hole, by a change of mind', writeToHole(1, protect), 'refused'],
  ['another name for one', 'mv e moved && mv moved e', 'made'],
];

function entriesIn(daemon: SandboxDaemon, agent: string): number {
  return readdirSync(daemon.workspaceOf(agent)).length;
}

/** Those that run a call of that agent, and those that wait for one. */
function launchersFor(daemon: SandboxDaemon, agent: string): readonly number[] {
  // As far as it is the same from wherever the disk is mounted.
  const workspace = relative(dirname(daemon.folder.path), daemon.workspaceOf(agent));
  return processesWith('/usr/bin/setpriv').filter((pid) =>
    mountsOf(pid).includes(`/${workspace} /workspace `),
  );
}

function mountsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    // It ended while we looked.
    return '';
  }
}
