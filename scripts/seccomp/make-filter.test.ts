import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { root } from '../run-tool.ts';
import { opcodes } from './bpf.ts';
import { decode, runFilter } from './bpf-machine.ts';
import { makeFilter } from './make-filter.ts';
import {
  type Architecture,
  architectures,
  highestKnown,
  numberOf,
  type SyscallName,
  syscallNumbers,
} from './numbers.ts';
import { prebuiltSource } from './prebuilt-source.ts';
import type { FilterKind } from './rules.ts';

const everyArchitecture: readonly Architecture[] = ['x64', 'arm64'];
const everyKind: readonly FilterKind[] = ['tool', 'full', 'body'];
const everyFilter = everyArchitecture.flatMap((architecture) =>
  everyKind.map((kind) => ({
    architecture,
    kind,
    program: decode(makeFilter(architecture, kind)),
  })),
);

// Spelt out once more, so that a slip in the program does not pass by being the same here.
const answers = new Map([
  [0x7fff0000, 'allow'],
  [0x80000000, 'kill'],
  [0x00050001, 'EPERM'],
  [0x00050026, 'ENOSYS'],
  [0x0005005d, 'EPROTONOSUPPORT'],
  [0x0005005f, 'EOPNOTSUPP'],
  [0x00050061, 'EAFNOSUPPORT'],
  [0x0005007a, 'EDQUOT'],
]);

function ask(
  { architecture, program }: (typeof everyFilter)[number],
  number: number,
  args: readonly (number | bigint)[] = [],
): string | undefined {
  const { auditNumber } = architectures[architecture];
  const call = { architecture: auditNumber, number, args: args.map(BigInt) };
  return answers.get(runFilter(program, call).value);
}

const high = 1n << 32n;
const garbage = 0xdeadbeef_00000000n;

/** A call, its arguments, and what both kinds get on every architecture that has the call. */
const sameForBoth: readonly (readonly [SyscallName, readonly (number | bigint)[], string])[] = [
  ['chmod', [0, 0o755], 'allow'],
  ['chmod', [0, 0o1777], 'allow'],
  ['chmod', [0, 0o4755], 'EPERM'],
  ['chmod', [0, 0o2755], 'EPERM'],
  ['chmod', [0, 0o104755], 'EPERM'],
  ['chmod', [0o4755, 0o755], 'allow'],
  ['chmod', [0, garbage | 0o755n], 'allow'],
  ['chmod', [0, garbage | 0o4755n], 'EPERM'],
  ['fchmod', [3, 0o6755], 'EPERM'],
  ['fchmod', [0o4000, 0o755], 'allow'],
  ['fchmodat', [0, 0, 0o4755], 'EPERM'],
  ['fchmodat', [0, 0, 0o755, 0o4000], 'allow'],
  ['fchmodat2', [0, 0, 0o2000, 0], 'EPERM'],
  ['fchmodat2', [0, 0, 0o755, 0x1000], 'allow'],
  ['mkdir', [0, 0o777], 'allow'],
  ['mkdir', [0, 0o2777], 'EPERM'],
  ['mkdirat', [0, 0, 0o777], 'allow'],
  ['mkdirat', [0, 0, 0o2777], 'EPERM'],
  ['mknod', [0, 0o10644], 'allow'],
  ['mknod', [0, 0o104755], 'EPERM'],
  ['mknodat', [0, 0, 0o10644], 'allow'],
  ['mknodat', [0, 0, 0o104755], 'EPERM'],
  ['creat', [0, 0o644], 'allow'],
  ['creat', [0, 0o4644], 'EPERM'],
  ['open', [0, 0, 0o4755], 'allow'],
  ['open', [0, 0o101, 0o644], 'allow'],
  ['open', [0, 0o101, 0o4755], 'EPERM'],
  ['openat', [0, 0, 0, 0o4755], 'allow'],
  ['openat', [0, 0, garbage | 0o101n, 0o4755], 'EPERM'],
  ['openat', [0, 0, 0o101, garbage | 0o644n], 'allow'],
  ['openat', [0, 0, 0o101, 0o2755], 'EPERM'],
  ['openat', [0, 0, 0o20200002, 0o4700], 'EPERM'],
  ['openat', [0, 0, 0o20040002, 0o4700], 'EPERM'],
  // O_DIRECTORY alone makes nothing.
  ['openat', [0, 0, 0o200000, 0o4700], 'allow'],
  ['openat', [0, 0, 0o40000, 0o4700], 'allow'],

  ['clone', [17], 'allow'],
  // What a thread of glibc asks for.
  ['clone', [0x3d0f00], 'allow'],
  ['clone', [0x10000000 | 17], 'EPERM'],
  ['clone', [0x00020000], 'EPERM'],
  ['clone', [0x02000000], 'EPERM'],
  ['clone', [0x04000000], 'EPERM'],
  ['clone', [0x08000000], 'EPERM'],
  ['clone', [0x20000000], 'EPERM'],
  ['clone', [0x40000000], 'EPERM'],
  ['clone', [high | 17n], 'allow'],
  ['clone', [high | 0x10000000n], 'EPERM'],
  ['clone3', [0, 88], 'ENOSYS'],
  ['openat2', [0, 0, 0, 24], 'ENOSYS'],
  ['memfd_secret', [0], 'ENOSYS'],
  ['statmount', [0], 'ENOSYS'],
  ['listmount', [0], 'ENOSYS'],
  ['fallocate', [3, 0, 0, 4096], 'EOPNOTSUPP'],

  ['personality', [0], 'allow'],
  ['personality', [0xffffffff], 'allow'],
  ['personality', [0xffffffff_ffffffffn], 'allow'],
  ['personality', [0x0400000], 'EPERM'],
  ['personality', [8], 'EPERM'],
  ['personality', [high | 8n], 'EPERM'],

  ['ioctl', [0, 0x5401], 'allow'],
  ['ioctl', [0, 0x540e], 'allow'],
  ['ioctl', [0x5412, 0x5401], 'allow'],
  ['ioctl', [0, 0x5411], 'allow'],
  ['ioctl', [0, 0x5413], 'allow'],
  ['ioctl', [0, 0x5412], 'EPERM'],
  ['ioctl', [0, high | 0x5412n], 'EPERM'],
  ['ioctl', [0, 0xffffffff_00005412n], 'EPERM'],
  ['ioctl', [0, 0x541c], 'EPERM'],
  ['ioctl', [0, high | 0x541cn], 'EPERM'],
  ['ioctl', [0, 0x5423], 'EPERM'],
  ['ioctl', [0, 0x40305828], 'EOPNOTSUPP'],
  ['ioctl', [0, high | 0x4030582an], 'EOPNOTSUPP'],
  ['ioctl', [0, 0x40305839], 'EOPNOTSUPP'],

  ['socket', [2, 1, 0], 'allow'],
  ['socket', [10, 0o2004001, 6], 'allow'],
  ['socket', [2, 2, 17], 'allow'],
  ['socket', [high | 2n, 1, 0], 'allow'],
  ['socket', [2, 3, 1], 'EPERM'],
  ['socket', [2, 0o2000003, 1], 'EPERM'],
  ['socket', [10, garbage | 3n, 58], 'EPERM'],
  ['socket', [2, 10, 0], 'EPERM'],
  ['socket', [2, 5, 132], 'EPERM'],
  ['socket', [2, 1, 132], 'EPROTONOSUPPORT'],
  ['socket', [2, 2, 1], 'EPROTONOSUPPORT'],
  ['socket', [0, 1, 0], 'EAFNOSUPPORT'],
  ['socket', [16, 3, 0], 'EAFNOSUPPORT'],
  ['socket', [high | 16n, 3, 0], 'EAFNOSUPPORT'],
  ['socket', [17, 3, 0], 'EAFNOSUPPORT'],
  ['socket', [38, 5, 0], 'EAFNOSUPPORT'],
  ['socket', [31, 3, 0], 'EAFNOSUPPORT'],
  ['socket', [40, 1, 0], 'EAFNOSUPPORT'],
  ['socket', [0xffffffff, 1, 0], 'EAFNOSUPPORT'],
  ['socketpair', [1, 1, 0], 'allow'],
  ['socketpair', [1, 0o2004001, 0], 'allow'],
  ['socketpair', [1, 5, 0], 'allow'],
  ['socketpair', [30, 1, 0], 'EAFNOSUPPORT'],
];

const toolThenBody: readonly (readonly [
  SyscallName,
  readonly (number | bigint)[],
  string,
  string,
])[] = [
  ['socket', [1, 1, 0], 'EAFNOSUPPORT', 'allow'],
  ['socket', [1, 0o2000005, 0], 'EAFNOSUPPORT', 'allow'],
  ['socket', [high | 1n, 1, 0], 'EAFNOSUPPORT', 'allow'],
  // Could be turned to any socket in the file system.
  ['socketpair', [1, 2, 0], 'EPERM', 'allow'],
  ['socketpair', [1, 3, 0], 'EPERM', 'allow'],
  ['socketpair', [1, garbage | 0o2000002n, 0], 'EPERM', 'allow'],
];

/** Calls that get EPERM whatever they ask for. */
const refused: readonly SyscallName[] = [
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'kcmp'] as const),
  ...(['pidfd_getfd', 'io_uring_setup', 'io_uring_enter', 'io_uring_register', 'bpf'] as const),
  ...(['keyctl', 'add_key', 'request_key', 'userfaultfd', 'perf_event_open', 'mount'] as const),
  ...(['umount2', 'move_mount', 'open_tree', 'open_tree_attr', 'fsopen', 'fsconfig'] as const),
  ...(['fsmount', 'fspick', 'mount_setattr', 'pivot_root', 'chroot', 'unshare', 'setns'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module'] as const),
  ...(['create_module', 'query_module', 'get_kernel_syms', 'reboot', 'swapon'] as const),
  ...(['swapoff', 'quotactl', 'quotactl_fd', 'acct', 'clock_settime', 'settimeofday'] as const),
  ...(['adjtimex', 'clock_adjtime', 'sethostname', 'setdomainname', 'iopl', 'ioperm'] as const),
  ...(['modify_ldt', 'nfsservctl', 'lookup_dcookie', 'name_to_handle_at', 'uselib'] as const),
  ...(['open_by_handle_at', 'vhangup', 'fanotify_init', 'syslog', 'move_pages'] as const),
  ...(['mbind', 'set_mempolicy', 'get_mempolicy', 'set_mempolicy_home_node'] as const),
  'migrate_pages',
];

/** Calls that programs cannot do without, or that `setpriv` makes behind the filter. */
const allowed: Readonly<Record<Architecture, Readonly<Record<string, number>>>> = {
  x64: {
    ...{ read: 0, write: 1, close: 3, mmap: 9, mprotect: 10, brk: 12, fork: 57, vfork: 58 },
    ...{ execve: 59, kill: 62, setuid: 105, setgid: 106, setgroups: 116, setresuid: 117 },
    ...{ setresgid: 119, capset: 126, prctl: 157, arch_prctl: 158, futex: 202, newfstatat: 262 },
    ...{ set_robust_list: 273, epoll_create1: 291, prlimit64: 302, seccomp: 317 },
    ...{ getrandom: 318, memfd_create: 319, execveat: 322, copy_file_range: 326, statx: 332 },
    ...{ rseq: 334, pidfd_send_signal: 424, pidfd_open: 434, close_range: 436, faccessat2: 439 },
    ...{ landlock_create_ruleset: 444, futex_waitv: 449, mseal: 462, file_setattr: 469 },
  },
  arm64: {
    ...{ close: 57, read: 63, write: 64, newfstatat: 79, capset: 91, set_robust_list: 99 },
    ...{ futex: 98, kill: 129, setgid: 144, setuid: 146, setresuid: 147, setresgid: 149 },
    ...{ setgroups: 159, prctl: 167, brk: 214, execve: 221, mmap: 222, mprotect: 226 },
    ...{ prlimit64: 261, seccomp: 277, getrandom: 278, memfd_create: 279, execveat: 281 },
    ...{ copy_file_range: 285, statx: 291, rseq: 293, pidfd_send_signal: 424 },
    ...{ pidfd_open: 434, close_range: 436, faccessat2: 439, landlock_create_ruleset: 444 },
    ...{ futex_waitv: 449, mseal: 462, file_setattr: 469 },
  },
};

test('the committed filters are what the program makes', () => {
  const path = join(root, 'src', 'sandbox', 'launch', 'seccomp', 'prebuilt.ts');

  expect(readFileSync(path, 'utf8')).toBe(prebuiltSource());
});

const makers: ReadonlySet<SyscallName> = new Set([
  ...(['mkdir', 'mkdirat', 'mknod', 'mknodat', 'symlink', 'symlinkat', 'link', 'linkat'] as const),
  ...(['creat', 'open', 'openat', 'socketpair', 'mmap'] as const),
]);

test.each(everyFilter.filter(({ kind }) => kind === 'full'))(
  'where a workspace is full nothing is made, and all can be opened ($architecture)',
  (filter) => {
    const calls: readonly (readonly [SyscallName, readonly number[], string])[] = [
      ['mkdir', [0, 0o755], 'EDQUOT'],
      ['mkdirat', [0, 0, 0o755], 'EDQUOT'],
      ['mknodat', [0, 0, 0o100644], 'EDQUOT'],
      ['symlinkat', [0, 0, 0], 'EDQUOT'],
      ['linkat', [0, 0, 0, 0, 0], 'EDQUOT'],
      ['creat', [0, 0o644], 'EDQUOT'],
      ['open', [0, 0o100, 0o644], 'EDQUOT'],
      ['open', [0, 0o2, 0o7777], 'allow'],
      ['openat', [0, 0, 0o1101, 0o644], 'EDQUOT'],
      ['openat', [0, 0, 0o20200002, 0o644], 'EDQUOT'],
      ['openat', [0, 0, 0o1001, 0o7777], 'allow'],
      ['setxattr', [0, 0, 0, 0, 0], 'EDQUOT'],
      ['socketpair', [1, 1, 0, 0], 'EDQUOT'],
      ['mmap', [0, 4096, 3, 0x01, 5, 0], 'EDQUOT'],
      ['mmap', [0, 4096, 1, 0x03, 5, 0], 'EDQUOT'],
      ['mmap', [0, 4096, 3, 0x02, 5, 0], 'allow'],
      ['mmap', [0, 4096, 3, 0x21, 0, 0], 'allow'],
      ['renameat2', [0, 0, 0, 0, 0], 'allow'],
      ['renameat2', [0, 0, 0, 0, 4], 'EPERM'],
    ];

    const wrong = calls.flatMap(([name, args, verdict]) => {
      const number = numberOf(name, filter.architecture);
      const given = number === undefined ? verdict : ask(filter, number, args);
      return given === verdict ? [] : [`${name}(${args.join(', ')}): ${given}, not ${verdict}`];
    });
    expect(wrong).toEqual([]);
  },
);

describe.each(everyFilter)('the filter for $architecture and a $kind', (filter) => {
  const { architecture, kind, program } = filter;

  test('answers calls by their arguments', () => {
    const expected = [
      ...sameForBoth,
      ...toolThenBody.map(
        ([name, args, tool, body]) => [name, args, kind === 'body' ? body : tool] as const,
      ),
    ];

    const counted = kind === 'full' ? expected.filter(([name]) => !makers.has(name)) : expected;
    const wrong = counted.flatMap(([name, args, verdict]) => {
      const number = numberOf(name, architecture);
      const given = number === undefined ? verdict : ask(filter, number, args);
      return given === verdict ? [] : [`${name}(${args.join(', ')}): ${given}, not ${verdict}`];
    });

    expect(wrong).toEqual([]);
  });

  test('refuses calls that no argument makes harmless', () => {
    const given = refused.map((name) => {
      const number = numberOf(name, architecture);
      return [name, number === undefined ? 'EPERM' : ask(filter, number)];
    });

    expect(given).toEqual(refused.map((name) => [name, 'EPERM']));
  });

  test('allows what programs cannot do without', () => {
    const wanted = Object.entries(allowed[architecture]);

    const given = wanted.map(([name, number]) => [name, ask(filter, number)]);

    expect(given).toEqual(wanted.map(([name]) => [name, 'allow']));
  });

  test('says of calls that came later, or never, that there is none', () => {
    // 512 to 547 are calls of x32 that older kernels served without its bit, too.
    const numbers = [highestKnown + 1, 472, 512, 520, 547, 9999, 0x3fffffff, 0x7fffffff];

    expect(numbers.map((number) => ask(filter, number))).toEqual(numbers.map(() => 'ENOSYS'));
    expect([295, 335, 400, 423].map((number) => ask(filter, number))).toEqual(
      architecture === 'x64'
        ? ['allow', 'ENOSYS', 'ENOSYS', 'ENOSYS']
        : ['ENOSYS', 'ENOSYS', 'ENOSYS', 'ENOSYS'],
    );
  });

  test('says of every call of x32 that there is none', () => {
    for (let number = 0; number <= 600; number += 1) {
      expect(ask(filter, (0x40000000 | number) >>> 0)).toBe('ENOSYS');
      expect(ask(filter, (0xc0000000 | number) >>> 0)).toBe('ENOSYS');
    }
  });

  test('kills whoever calls as another architecture, with whatever number', () => {
    const { auditNumber } = architectures[architecture];
    // i386, arm, the other one of the two, big-endian forms, and none.
    const foreign = [0x40000003, 0x40000028, 0xc000003e, 0xc00000b7, 0x800000b7, 0x3e, 0]
      .filter((number) => number !== auditNumber)
      .map(fc.constant);

    fc.assert(
      fc.property(fc.oneof(...foreign), fc.nat(highestKnown), (foreignNumber, number) => {
        const call = { architecture: foreignNumber, number, args: [] };
        expect(answers.get(runFilter(program, call).value)).toBe('kill');
      }),
    );
  });

  test('answers every call with a word we know, within a few comparisons', () => {
    const argument = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
    const number = fc.oneof(fc.nat(600), fc.nat(0xffffffff));
    const auditNumber = fc.oneof(
      fc.constant(architectures[architecture].auditNumber),
      fc.nat(0xffffffff),
    );

    fc.assert(
      fc.property(
        auditNumber,
        number,
        fc.array(argument, { minLength: 6, maxLength: 6 }),
        (called, numberCalled, args) => {
          const call = { architecture: called, number: numberCalled, args };
          const { value, steps } = runFilter(program, call);
          expect(answers.has(value)).toBe(true);
          expect(steps).toBeLessThan(30);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('has no way that leaves it without an answer', () => {
    // The kernel takes no longer ones.
    expect(program.length).toBeLessThanOrEqual(4096);
    for (const [at, { code, skipIfTrue, skipIfFalse, value }] of program.entries()) {
      expect(Object.values<number>(opcodes)).toContain(code);
      if (code === opcodes.answer) continue;
      const skips = code === opcodes.jump ? [value] : [skipIfTrue, skipIfFalse];
      for (const skip of skips) expect(at + 1 + skip).toBeLessThan(program.length);
    }
  });
});

test('no two calls have the same number', () => {
  for (const architecture of everyArchitecture) {
    const names = Object.keys(syscallNumbers) as SyscallName[]; // They are its keys.
    const numbers = names.flatMap((name) => numberOf(name, architecture) ?? []);

    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(highestKnown);
  }
});

const headers: Readonly<Record<Architecture, string>> = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  // What arm64 uses is the table for all newer architectures.
  arm64: '/usr/include/asm-generic/unistd.h',
};

test.each(everyArchitecture.filter((architecture) => existsSync(headers[architecture])))(
  'the numbers for %s are those of the header files on this machine',
  (architecture) => {
    const header = readFileSync(headers[architecture], 'utf8');
    const found = header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm);
    const told = new Map(Array.from(found, ([, name, number]) => [name, Number(number)]));
    const newest = Math.max(...told.values());

    const names = Object.keys(syscallNumbers) as SyscallName[]; // They are its keys.
    const wrong = names.filter((name) => {
      const number = numberOf(name, architecture);
      // The header may be older than the table, or newer than a call that was taken out.
      if (number !== undefined && number > newest) return false;
      return told.has(name) && told.get(name) !== number;
    });

    expect(told.size).toBeGreaterThan(250);
    expect(wrong).toEqual([]);
  },
);
