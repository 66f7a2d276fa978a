/**
 * What the programs of an agent may ask of the kernel. Every known call is allowed unless it
 * stands here; a call that is not known gets ENOSYS.
 */
import type { SyscallName } from './numbers.ts';

/**
 * `tool` is what a tool starts; `full` is the same in a workspace that holds more than it may;
 * `body` is an agent's own program, which talks to its daemon.
 */
export type FilterKind = 'tool' | 'full' | 'body';

export type Answer =
  | 'allow'
  | 'kill'
  | 'EPERM'
  | 'ENOSYS'
  | 'EPROTONOSUPPORT'
  | 'EOPNOTSUPP'
  | 'EAFNOSUPPORT'
  | 'EDQUOT';

export type Verdict = Answer | Look;

/** A look at the low half of one argument, or at some of its bits. */
export interface Look {
  readonly argument: number;
  readonly bits?: number;
  readonly cases: readonly Case[];
  readonly otherwise: Verdict;
}

interface Case {
  readonly values: readonly number[];
  readonly verdict: Verdict;
}

export type Rules = ReadonlyMap<SyscallName, Verdict>;

export function rulesFor(kind: FilterKind): Rules {
  return new Map<SyscallName, Verdict>([
    ...refused.map((name) => [name, 'EPERM'] as const),
    ...hidden.map((name) => [name, 'ENOSYS'] as const),
    ...modes,
    // A workspace is watched as it is written, and this takes room in one go. glibc then
    // writes zeros.
    ['fallocate', 'EOPNOTSUPP'],
    ['clone', noneOfTheBits(0, namespaceFlags)],
    // RENAME_WHITEOUT leaves a file where one was moved away.
    ['renameat2', noneOfTheBits(4, 0b100)],
    ['personality', ordinaryPersonality],
    ['ioctl', harmlessRequest],
    ['socket', kind === 'body' ? internetOrUnixSocket : internetSocket],
    ['socketpair', kind === 'body' ? unixPair : lastingPair],
    ...(kind === 'body' ? [] : uncounted),
    ...(kind === 'full' ? makesNothing : []),
  ]);
}

const refused: readonly SyscallName[] = [
  // Into other processes.
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise'] as const),
  ...(['kcmp', 'pidfd_getfd'] as const),
  // Its requests are not seen by a filter.
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
  // Parts of the kernel that ordinary programs leave alone and that escapes are made of.
  ...(['bpf', 'userfaultfd', 'perf_event_open', 'fanotify_init', 'lookup_dcookie'] as const),
  // The kernel's keys know no namespaces.
  ...(['keyctl', 'add_key', 'request_key'] as const),
  // Another view of the files. Files by their inode, past the folders they are in.
  ...(['mount', 'umount2', 'move_mount', 'open_tree', 'open_tree_attr', 'fsopen'] as const),
  ...(['fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'pivot_root', 'chroot'] as const),
  ...(['name_to_handle_at', 'open_by_handle_at', 'unshare', 'setns'] as const),
  // The machine itself.
  ...(['kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct'] as const),
  ...(['init_module', 'finit_module', 'delete_module', 'create_module'] as const),
  ...(['query_module', 'get_kernel_syms', 'quotactl', 'quotactl_fd', 'syslog'] as const),
  ...(['clock_settime', 'settimeofday', 'adjtimex', 'clock_adjtime', 'vhangup'] as const),
  ...(['sethostname', 'setdomainname', 'iopl', 'ioperm', 'modify_ldt'] as const),
  ...(['nfsservctl', 'uselib'] as const),
  // Where memory lies. Java and Node try and go on; asking is refused with setting, because
  // libnuma takes an answer for a promise that setting works.
  ...(['mbind', 'set_mempolicy', 'set_mempolicy_home_node', 'get_mempolicy'] as const),
  ...(['migrate_pages', 'move_pages'] as const),
];

// Programs that ask for these know an older way, which they take when there is no such call.
const hidden: readonly SyscallName[] = [
  // What they are asked for lies behind a pointer, where a filter cannot look.
  ...(['clone3', 'openat2'] as const),
  // Memory that is never swapped out and that nobody else can look into.
  'memfd_secret',
  // The table of mounts, which /proc shows as far as it may be seen.
  ...(['statmount', 'listmount'] as const),
];

// Instances are counted for the user that the daemon runs as, too: one call could use up all
// that this user has. Programs that know no other way poll.
const uncounted: readonly (readonly [SyscallName, Verdict])[] = [
  ['inotify_init', 'ENOSYS'],
  ['inotify_init1', 'ENOSYS'],
];

// S_ISUID and S_ISGID: who runs such a file, runs as its owner, also on the host.
const setIdBits = 0o6000;

// O_CREAT and the own bit of O_TMPFILE. Without them the mode is whatever was in the register.
const makesFile = 0o20000100;

const modes: readonly (readonly [SyscallName, Look])[] = [
  ['chmod', noneOfTheBits(1, setIdBits)],
  ['fchmod', noneOfTheBits(1, setIdBits)],
  ['fchmodat', noneOfTheBits(2, setIdBits)],
  ['fchmodat2', noneOfTheBits(2, setIdBits)],
  ['mkdir', noneOfTheBits(1, setIdBits)],
  ['mkdirat', noneOfTheBits(2, setIdBits)],
  ['mknod', noneOfTheBits(1, setIdBits)],
  ['mknodat', noneOfTheBits(2, setIdBits)],
  ['creat', noneOfTheBits(1, setIdBits)],
  ['open', noneOfTheBits(1, makesFile, noneOfTheBits(2, setIdBits))],
  ['openat', noneOfTheBits(2, makesFile, noneOfTheBits(3, setIdBits))],
];

// MAP_SHARED and MAP_ANONYMOUS.
const sharedOrNoFile = 0x21;
const privateOrNoFile: Look = {
  argument: 3,
  bits: sharedOrNoFile,
  cases: [{ values: [0x01], verdict: 'EDQUOT' }],
  otherwise: 'allow',
};

// What is there can be read and removed. Files do not grow: that is a limit of its own.
const makesNothing: readonly (readonly [SyscallName, Verdict])[] = [
  ['mkdir', 'EDQUOT'],
  ['mkdirat', 'EDQUOT'],
  ['mknod', 'EDQUOT'],
  ['mknodat', 'EDQUOT'],
  ['symlink', 'EDQUOT'],
  ['symlinkat', 'EDQUOT'],
  ['link', 'EDQUOT'],
  ['linkat', 'EDQUOT'],
  ['creat', 'EDQUOT'],
  ['open', noneOfTheBits(1, makesFile, 'EDQUOT')],
  ['openat', noneOfTheBits(2, makesFile, 'EDQUOT')],
  ['setxattr', 'EDQUOT'],
  ['lsetxattr', 'EDQUOT'],
  ['fsetxattr', 'EDQUOT'],
  ['setxattrat', 'EDQUOT'],
  // What is written to a file in memory, in its holes above all, no limit of a file counts.
  ['mmap', privateOrNoFile],
  // One end of a pair can be given a name, which is a file.
  ['socketpair', 'EDQUOT'],
];

// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. The bit of NEWTIME is
// part of the signal's number here: clone() cannot ask for it.
const namespaceFlags = 0x7e020000;

// The ordinary one, which `setarch` asks for, and the question which one it is. The others
// load programs in ways that the kernel tests little.
const ordinaryPersonality: Look = {
  argument: 0,
  cases: [{ values: [0, 0xffffffff], verdict: 'allow' }],
  otherwise: 'EPERM',
};

const harmlessRequest: Look = {
  argument: 1,
  cases: [
    // TIOCSTI and TIOCLINUX type into somebody's terminal; TIOCSETD loads line disciplines.
    { values: [0x5412, 0x541c, 0x5423], verdict: 'EPERM' },
    // FS_IOC_RESVSP, UNRESVSP, RESVSP64, UNRESVSP64 and ZERO_RANGE are fallocate().
    { values: [0x40305828, 0x40305829, 0x4030582a, 0x4030582b, 0x40305839], verdict: 'EOPNOTSUPP' },
  ],
  otherwise: 'allow',
};

const family = { unix: 1, inet: 2, inet6: 10 } as const;
const type = { stream: 1, datagram: 2, sequence: 5 } as const;
const typeBits = 0xf;

// 0, IPPROTO_TCP and IPPROTO_UDP. Others, such as SCTP, would load a module for the asking.
const commonProtocol: Look = {
  argument: 2,
  cases: [{ values: [0, 6, 17], verdict: 'allow' }],
  otherwise: 'EPROTONOSUPPORT',
};

// No raw ones: EPERM, as the kernel says to those who have no right to them.
const commonType: Look = {
  argument: 1,
  bits: typeBits,
  cases: [{ values: [type.stream, type.datagram], verdict: commonProtocol }],
  otherwise: 'EPERM',
};

// The network is empty, so these reach the loopback. EAFNOSUPPORT for all other families is
// what a kernel without them says; programs know it and go on without.
const internetSocket: Look = {
  argument: 0,
  cases: [{ values: [family.inet, family.inet6], verdict: commonType }],
  otherwise: 'EAFNOSUPPORT',
};

const internetOrUnixSocket: Look = {
  ...internetSocket,
  cases: [...internetSocket.cases, { values: [family.unix], verdict: 'allow' }],
};

// A pair of datagram sockets (and "raw" means these) can be turned away from each other and
// to any socket in the file system; the other types stay connected for good.
const lastingPair: Look = {
  argument: 0,
  cases: [
    {
      values: [family.unix],
      verdict: {
        argument: 1,
        bits: typeBits,
        cases: [{ values: [type.stream, type.sequence], verdict: 'allow' }],
        otherwise: 'EPERM',
      },
    },
  ],
  otherwise: 'EAFNOSUPPORT',
};

const unixPair: Look = {
  argument: 0,
  cases: [{ values: [family.unix], verdict: 'allow' }],
  otherwise: 'EAFNOSUPPORT',
};

function noneOfTheBits(argument: number, bits: number, otherwise: Verdict = 'EPERM'): Look {
  return { argument, bits, cases: [{ values: [0], verdict: 'allow' }], otherwise };
}
