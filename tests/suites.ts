/**
 * Every suite of `npm test`, with the seconds it may take on two cores. A suite that
 * takes longer fails the run: make it faster, or change the number here with a reason.
 */
export interface Suite {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly budgetSeconds: number;
  /** False where the files would fight over the machine. */
  readonly fileParallelism: boolean;
}

export const suites: readonly Suite[] = [
  {
    name: 'unit',
    include: ['{src,bench,scripts}/**/*.test.ts', 'tests/*.test.ts', 'tests/support/*.test.ts'],
    exclude: ['**/*.slow.test.ts'],
    budgetSeconds: 300,
    fileParallelism: true,
  },
  // Beside the source too, but too long for `npm run check`: sockets, processes, signatures.
  { name: 'slow', include: ['src/**/*.slow.test.ts'], budgetSeconds: 1000, fileParallelism: true },
  {
    name: 'conformance',
    include: ['tests/conformance/*.test.ts'],
    budgetSeconds: 30,
    fileParallelism: true,
  },
  // 2,000 seeds of the simulated relay, 200 of the runtime, and the bugs that they have to find.
  { name: 'sim', include: ['tests/sim/*.test.ts'], budgetSeconds: 300, fileParallelism: true },
  // Five hundred starts and kills of the daemon, 2,000 openings of the ledger, and a process for
  // each boundary of an operation's end, of a rotation of keys, and of eleven changes to files.
  {
    name: 'crash',
    include: ['tests/crash/*.test.ts'],
    budgetSeconds: 1300,
    fileParallelism: false,
  },
  // Four hundred runs of the seed's script are in it.
  { name: 'e2e', include: ['tests/e2e/*.test.ts'], budgetSeconds: 1400, fileParallelism: true },
  // What hostile agents try: on real sockets, folders and daemons.
  {
    name: 'attack',
    include: ['tests/attack/*.test.ts'],
    // Each attack on the sandbox is tried under a daemon of root and under an ordinary one; those on
    // transfers start some three hundred commands; and every route gets its part of 20,000 requests.
    budgetSeconds: 1200,
    fileParallelism: true,
  },
  // Pages of the daemon, in Chromium.
  {
    name: 'browser',
    include: ['tests/browser/*.test.ts'],
    budgetSeconds: 60,
    fileParallelism: false,
  },
  {
    name: 'gate',
    include: ['tests/gate/*.test.ts'],
    budgetSeconds: 900,
    fileParallelism: false,
  },
];
