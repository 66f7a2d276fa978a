/**
 * The gate, tried with what it must not let through. Each fault goes through the part of
 * `npm run check` that is to find it; those that the whole design leans on go through
 * `npm run check` itself as well.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { type CheckoutCopy, readyCopy } from './checkout-copy.ts';
import { type Outcome, run } from './running-program.ts';

type Change = (text: string) => string;

interface Fault {
  readonly what: string;
  /** The test file or the tool that is to find it. */
  readonly foundBy: string;
  readonly planted: Readonly<Record<string, Change>>;
  /** What the output must say: the file and what is wrong with it. */
  readonly named: readonly (string | RegExp)[];
}

const first =
  (line: string): Change =>
  (text) =>
    `${line}\n\n${text}`;
const last =
  (line: string): Change =>
  (text) =>
    `${text}\n${line}\n`;

let copy: CheckoutCopy;

beforeAll(async () => {
  copy = await readyCopy();
});

afterAll(() => copy[Symbol.asyncDispose]());

/** The ones that the whole design leans on. */
const houseFaults: Fault[] = [
  {
    what: 'an import against the table',
    foundBy: 'tests/architecture.test.ts',
    planted: { 'src/kernel/ports.ts': first(`import '../app/config.ts';`) },
    named: ['src/kernel/ports.ts imports src/app/config/config.ts, but may import only kernel'],
  },
  {
    what: 'a cycle of two files',
    foundBy: 'tests/architecture.test.ts',
    planted: {
      'src/kernel/ports.ts': first(`import './errors.ts';`),
      'src/kernel/errors.ts': first(`import './ports.ts';`),
    },
    named: [/a cycle: src\/kernel\/(ports|errors)\.ts -> src\/kernel\/(errors|ports)\.ts -> /],
  },
  {
    what: 'Date.now in the kernel',
    foundBy: 'tests/architecture.test.ts',
    planted: { 'src/kernel/ports.ts': last('void Date.now();') },
    named: ['src/kernel/ports.ts: \\"Date.now\\" reads the time; take a Clock'],
  },
  {
    what: 'an error code that docs/errors.md does not list',
    foundBy: 'src/kernel/errors.test.ts',
    planted: {
      'src/kernel/errors.ts': (text) =>
        text.replace("  'internal.bug'", "  'internal.planted': { kind: 'broken' },\n$&"),
    },
    named: ['docs/errors.md lists exactly the codes of the table', '`internal.planted`'],
  },
];

/** It runs every unit test, beside whatever else this machine does. */
const checkMs = limitMs(300_000);

describe('npm run check', () => {
  const patienceMs = checkMs - 10_000;
  const check = () =>
    run('npm', ['run', '-s', 'check'], { cwd: copy.path, env: copy.env, patienceMs });

  test(
    'passes on the checkout as it is',
    async () => {
      const { code, stdout, stderr } = await check();

      expect(stdout + stderr).toContain('check passed');
      expect(code).toBe(0);
    },
    checkMs,
  );

  // All at once, because it runs every unit test; the next suite plants them one by one.
  test(
    'fails on the faults against the house rules, and names each',
    async () => {
      using planted = new DisposableStack();
      for (const fault of houseFaults) planted.use(plantAll(fault));

      const { code, stdout } = await check();

      for (const fault of houseFaults) expectNamed(stdout, fault);
      expect(stdout).toMatch(/check failed in [\d.]+ s: .*vitest\n$/);
      expect(code).toBe(1);
    },
    checkMs,
  );
});

describe('the unit tests', () => {
  const unitTests = (file: string) =>
    run('node_modules/.bin/vitest', ['run', '--project', 'unit', file], {
      cwd: copy.path,
      env: copy.env,
    });

  const faults: Fault[] = [
    ...houseFaults,
    {
      what: 'an import of types against the table',
      foundBy: 'tests/architecture.test.ts',
      planted: {
        'src/kernel/ports.ts': first(`import type {} from '../app/config.ts';`),
      },
      named: ['src/kernel/ports.ts imports src/app/config/config.ts, but may import only kernel'],
    },
    {
      what: 'Math.random',
      foundBy: 'tests/architecture.test.ts',
      planted: { 'src/app/config/config.ts': last('void Math.random();') },
      named: ['src/app/config/config.ts: \\"Math.random\\" throws dice; take a Random'],
    },
    {
      what: 'node:fs outside the engines',
      foundBy: 'tests/architecture.test.ts',
      planted: { 'src/app/config/config.ts': first(`import 'node:fs';`) },
      named: [`src/app/config/config.ts: \\"'node:fs'\\" touches the disk; take a Disk`],
    },
    {
      what: 'a code that is documented with another exit code',
      foundBy: 'src/kernel/errors.test.ts',
      planted: {
        'docs/errors.md': (text) => text.replace(/^(\| `internal\.bug`.*?\| 500 +\|) 1 /m, '$1 9 '),
      },
      named: ['docs/errors.md lists exactly the codes of the table', '+     "9",'],
    },
    {
      what: 'a test of which the expectation is wrong',
      foundBy: 'tests/planted.test.ts',
      planted: {
        'tests/planted.test.ts': () =>
          `import { expect, test } from 'vitest';\ntest('one is two', () => expect(1).toBe(2));\n`,
      },
      named: ['tests/planted.test.ts > one is two', 'expected 1 to be 2'],
    },
  ];

  test.each(faults)('fail on $what', async (fault) => {
    using _ = plantAll(fault);

    const { code, stdout, stderr } = await unitTests(fault.foundBy);

    expectNamed(stdout + stderr, fault);
    expect(code).toBe(1);
  });
});

describe('the static checks', () => {
  const faults: Fault[] = [
    {
      what: 'an export that nobody uses',
      foundBy: 'knip',
      planted: { 'src/kernel/ports.ts': last('export const planted = 1;') },
      named: ['Unused exports', /planted .*src\/kernel\/ports\.ts/],
    },
    {
      what: 'a type error',
      foundBy: 'tsc',
      planted: { 'src/kernel/ports.ts': last(`'planted' satisfies number;`) },
      named: ['src/kernel/ports.ts', "'number'"],
    },
    {
      what: 'a line that is not formatted',
      foundBy: 'biome',
      planted: { 'src/kernel/ports.ts': last('void  0;') },
      named: ['src/kernel/ports.ts format', 'void··0'],
    },
    {
      what: 'a test that is skipped',
      foundBy: 'biome',
      planted: {
        'tests/planted.test.ts': () =>
          `import { test } from 'vitest';\n\ntest.skip('not today', () => {});\n`,
      },
      named: ['tests/planted.test.ts:3:6 lint/suspicious/noSkippedTests'],
    },
  ];

  test.each(faults)('fail on $what: $foundBy finds it', async (fault) => {
    using _ = plantAll(fault);

    const found = (await staticChecks()).find(({ name }) => name === fault.foundBy);

    expectNamed(found?.output ?? '', fault);
    expect(found?.code).toBe(1);
  });
});

test('the gate for speed finds a slowness, and names it', async () => {
  const bench = 'security.authorize';
  const gate = () =>
    run(process.execPath, ['bench/run.ts', '--gate', bench], { cwd: copy.path, env: copy.env });
  const asItIs = await gate();
  using _ = copy.plant('src/security/permit.ts', (text) =>
    text.replace('): Promise<Decision> {\n', '$&  for (let i = 0; i < 2000; i++) Math.sqrt(i);\n'),
  );

  const slower = await gate();

  expect(asItIs, asItIs.stdout).toMatchObject({ code: 0 });
  expect(slower).toMatchObject({ code: 1, stdout: expect.stringMatching(/^SLOWER security/m) });
});

/** The copy's own `runStaticChecks()`, called by a program of two lines. */
async function staticChecks(): Promise<{ name: string; code: number; output: string }[]> {
  const program = `import { runStaticChecks } from './scripts/static-checks.ts';
    process.stdout.write(JSON.stringify(await runStaticChecks()));`;
  const { stdout }: Outcome = await run(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: copy.path, env: copy.env },
  );
  return JSON.parse(stdout);
}

function plantAll({ planted }: Fault): Disposable {
  const stack = new DisposableStack();
  for (const [file, change] of Object.entries(planted)) stack.use(copy.plant(file, change));
  return stack;
}

function expectNamed(output: string, { named }: Fault): void {
  for (const words of named) expect(output).toMatch(words);
}
