/**
 * The numbers of the system calls that the rules name: on x64, on arm64; null where there is
 * no such call. From 424 on both count alike.
 */
export const syscallNumbers = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chmod: [90, null],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  creat: [85, null],
  create_module: [174, null],
  delete_module: [176, 106],
  fallocate: [285, 47],
  fanotify_init: [300, 262],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsetxattr: [190, 7],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, null],
  get_mempolicy: [239, 236],
  init_module: [175, 105],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  link: [86, null],
  linkat: [265, 37],
  listmount: [458, 458],
  lookup_dcookie: [212, 18],
  lsetxattr: [189, 6],
  mbind: [237, 235],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  mkdir: [83, null],
  mkdirat: [258, 34],
  mknod: [133, null],
  mknodat: [259, 33],
  mmap: [9, 222],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open: [2, null],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, null],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  renameat2: [316, 276],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  setxattr: [188, 5],
  setxattrat: [463, 463],
  socket: [41, 198],
  socketpair: [53, 199],
  statmount: [457, 457],
  swapoff: [168, 225],
  swapon: [167, 224],
  symlink: [88, null],
  symlinkat: [266, 36],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, null],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [number | null, number | null]>>;

export type SyscallName = keyof typeof syscallNumbers;

export type Architecture = 'x64' | 'arm64';

interface ArchitectureFacts {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly auditNumber: number;
  /** Numbers that Linux 6.18 has given to no call, from the first to the last of each row. */
  readonly unused: readonly (readonly [number, number])[];
}

export const architectures: Readonly<Record<Architecture, ArchitectureFacts>> = {
  x64: { auditNumber: 0xc000003e, unused: [[335, 423]] },
  arm64: {
    auditNumber: 0xc00000b7,
    unused: [
      [244, 259],
      [295, 423],
    ],
  },
};

/** `file_setattr`, the newest call of Linux 6.18. */
export const highestKnown = 469;

export function numberOf(name: SyscallName, architecture: Architecture): number | undefined {
  return syscallNumbers[name][architecture === 'x64' ? 0 : 1] ?? undefined;
}
