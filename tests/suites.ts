/**
 * Every suite of `npm test`, with the seconds of one worker that it may take on two cores, and
 * the slices in which `npm run test:full` does the full counts. A suite that takes longer fails
 * the run: make it faster, or change the number here with a reason. A new feature brings at most
 * twenty seconds to `npm test`.
 */
export interface Suite {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Seconds of one worker: what its files take, added up, with what they load and their hooks. */
  readonly budgetSeconds: number;
  /** False where the files would fight over the machine. */
  readonly fileParallelism: boolean;
  /** A process for each file; false where files leave nothing behind in theirs. */
  readonly isolate: boolean;
  /** Its temporary files may lie in memory: on many disks making one takes a hundred times longer. */
  readonly inMemory: boolean;
}

/**
 * From the first test to the last, on two cores without other load, with lint, types and unused
 * code; a busy machine has more, as every limit does. 400 is the aim of today, a fifth is left for
 * what a shared machine does, and with all that is to come it stays below 600.
 */
export const testBudgetSeconds = 480;

/** Left out of `npm test`: another test there guards the same promise. */
export const deepTests = '**/*.deep.test.ts';
const slowTests = '**/*.slow.test.ts';
const plantedBugs = 'tests/promises/planted-bugs.deep.test.ts';

export const suites: readonly Suite[] = [
  {
    name: 'unit',
    include: ['{src,bench,scripts}/**/*.test.ts', 'tests/{,support/,promises/}*.test.ts'],
    exclude: [slowTests, plantedBugs],
    budgetSeconds: 60,
    fileParallelism: true,
    isolate: false,
    inMemory: true,
  },
  // Beside the source too, but too long for `npm run check`: sockets, processes, signatures.
  {
    name: 'slow',
    include: ['src/**/*.slow.test.ts'],
    budgetSeconds: 240,
    fileParallelism: true,
    isolate: false,
    inMemory: true,
  },
  {
    name: 'conformance',
    include: ['tests/conformance/*.test.ts'],
    budgetSeconds: 15,
    fileParallelism: true,
    isolate: false,
    inMemory: false,
  },
  // Seeds of the simulated relay and runtime, and the bugs that they have to find.
  {
    name: 'sim',
    include: ['tests/sim/*.test.ts'],
    budgetSeconds: 30,
    fileParallelism: true,
    isolate: false,
    inMemory: true,
  },
  // Starts and kills of the daemon, and processes that die at a boundary of their work.
  {
    name: 'crash',
    include: ['tests/crash/*.test.ts'],
    budgetSeconds: 180,
    fileParallelism: true,
    isolate: true,
    inMemory: false,
  },
  {
    name: 'e2e',
    include: ['tests/e2e/*.test.ts'],
    budgetSeconds: 240,
    fileParallelism: true,
    isolate: true,
    inMemory: false,
  },
  // What hostile agents try: on real sockets, folders and daemons.
  {
    name: 'attack',
    include: ['tests/attack/*.test.ts'],
    budgetSeconds: 260,
    fileParallelism: true,
    isolate: false,
    inMemory: true,
  },
  // Pages of the daemon, in Chromium.
  {
    name: 'browser',
    include: ['tests/browser/*.test.ts'],
    budgetSeconds: 30,
    fileParallelism: true,
    isolate: true,
    inMemory: false,
  },
  {
    name: 'gate',
    // And the bugs that the guards of promises have to find, in the full tier.
    include: ['tests/gate/*.test.ts', plantedBugs],
    budgetSeconds: 60,
    fileParallelism: true,
    isolate: true,
    inMemory: false,
  },
];

/** In a suite that uses memory, but about a disk that is another one than `/dev/shm`. */
export const needDisk: readonly string[] = [
  'src/sandbox/box/body.slow.test.ts',
  'src/sandbox/watch/watch.slow.test.ts',
  'src/app/home/bodies.slow.test.ts',
  'src/cli/agent/life.slow.test.ts',
  'src/cli/agent/spawn-sandbox.slow.test.ts',
  'src/files/file-agent.slow.test.ts',
  'src/runtime/command/command-bodies.slow.test.ts',
  'tests/attack/file-kinds.test.ts',
  'tests/attack/files-capabilities.test.ts',
  'tests/attack/sandbox-bodies.test.ts',
];
