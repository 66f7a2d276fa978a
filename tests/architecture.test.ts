import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { undefinedLabels } from './support/cited-labels.ts';
import {
  breaches,
  type HouseRules,
  looseTimeLimits,
  missingFiles,
  readPages,
  readSources,
  readTestSources,
  repeatedTypeNames,
  type SourceFile,
  tooLarge,
} from './support/source-rules.ts';

const core = ['kernel', 'ledger', 'blobs', 'models', 'security', 'relay', 'memory', 'files'];
const upToOperations = [...core, 'transfer', 'tools', 'runtime', 'operations'];

/** The house as data. A folder imports itself and only what is listed here. */
const house: HouseRules = {
  mayImport: {
    kernel: [],
    ledger: ['kernel'],
    blobs: ['kernel'],
    models: ['kernel'],
    security: ['kernel', 'ledger', 'blobs'],
    // What runs programs behind a wall touches the machine too.
    sandbox: ['kernel', 'ledger', 'security', 'engines'],
    // Ports, and the pure parts of those whose engines they are.
    engines: [
      'kernel',
      'files/search',
      'memory/search',
      'blobs/seal/stretch',
      'runtime/command/deps',
    ],
    relay: ['kernel', 'ledger', 'blobs', 'security'],
    memory: ['kernel', 'ledger', 'security', 'models'],
    files: ['kernel', 'ledger', 'security'],
    transfer: ['kernel', 'ledger', 'blobs', 'security', 'relay'],
    tools: ['kernel', 'ledger', 'security', 'verbs'],
    runtime: ['kernel', 'ledger', 'security', 'models', 'relay', 'memory', 'tools'],
    operations: ['kernel', 'ledger', 'blobs', 'security', 'relay', 'runtime'],
    // Schemas, and the pure rules by which a request names what it has to be allowed.
    verbs: ['kernel', 'files/input', 'files/paths', 'security/egress/fetch-action'],
    toolbox: [...upToOperations, 'verbs'],
    gateway: [...upToOperations, 'verbs', 'toolbox'],
    'gateway/contract': ['kernel', 'verbs', 'runtime/followers'],
    'gateway/client': ['kernel', 'verbs/limits', 'gateway/contract'],
    // The kernel for what both sides of the wire speak: errors, quoting, ids by prefix.
    cli: ['gateway/contract', 'gateway/client', 'app', 'kernel'],
    app: ['*'],
  },
  private: [
    { file: /^src\/engines\//, onlyBy: /^src\/(?:app\/home\/compose\.ts$|sandbox\/)/ },
    { file: /^src\/sandbox\/open-sandboxes\.ts$/, onlyBy: /^src\/app\/home\/compose\.ts$/ },
    { file: /^src\/cli\//, onlyBy: /^src\/cli\// },
  ],
  forbidden: [
    {
      // `Date` itself may only turn a number into a date.
      what: /(?<!new )\bDate\b(?!\.(?:UTC|parse)\b)(?:\.\w+)?|\bnew Date(?:\(\)|;|\))|\bperformance\b|\bprocess\.(?:hrtime|uptime)\b|\bIntl\.DateTimeFormat\b/,
      why: 'reads the time; take a Clock',
      except: /^src\/engines\/(?:clock|time-zone)\.ts$/,
    },
    {
      what: /\bset(?:Timeout|Interval|Immediate)\b|\bAbortSignal\.timeout\b|['"`](?:node:)?timers(?:\/promises)?['"`]/,
      why: 'waits by the real clock; take a Clock',
      except: /^src\/engines\/clock\.ts$/,
    },
    {
      what: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\b|\bgenerateKey(?:Pair)?(?:Sync)?\b/,
      why: 'throws dice; take a Random',
      // The page seals in the browser, which has its own.
      except: /^src\/(?:engines\/clock|gateway\/pages\/link-page-seal)\.ts$/,
    },
    {
      what: /['"`](?:node:)?fs(?:\/promises)?['"`]/,
      why: 'touches the disk; take a Disk',
      except: /^src\/(?:engines|sandbox\/(?:launch|box|watch)|sandbox\/\w+-sandboxes\.ts$)/,
    },
    {
      what: /\bprocess(?:\.env\b|\[)|\benv\b[^=\n]*=\s*process\b|['"`](?:node:)?process['"`]/,
      why: 'reads the environment; take a setting',
      except: /^src\/app\/config\/config\.ts$/,
    },
    {
      what: /\b(?:homedir|tmpdir)\b/,
      why: 'reads the environment; take a setting',
      except: /^src\/app\/config\/config\.ts$/,
    },
    {
      what: /\b(?:fetch|process|globalThis|WebSocket)\b/,
      why: 'reaches outside, and the kernel is pure',
      within: /^src\/kernel\//,
    },
  ],
};

test('every import in src/ points the way the table says, and none in a circle', () => {
  const sources = readSources(join(import.meta.dirname, '..'));

  expect(sources.length).toBeGreaterThan(10);
  expect(breaches(sources, house)).toEqual([]);
});

test('no name of a type, an interface or a class is exported twice', () => {
  expect(repeatedTypeNames(readSources(join(import.meta.dirname, '..')))).toEqual([]);
});

test('every label of an invariant that a comment cites is defined where it says', () => {
  expect(undefinedLabels(readSources(join(import.meta.dirname, '..')))).toEqual([]);
});

test('no file, no folder and not the whole of src/ grows beyond its size', () => {
  const sources = readSources(join(import.meta.dirname, '..'));

  expect(tooLarge(sources, { linesOfFile: 500, filesOfFolder: 30, files: 850 })).toEqual([]);
});

test('every source file that a page of docs/ names is there', () => {
  const root = join(import.meta.dirname, '..');
  const paths = [...readSources(root), ...readTestSources(root)].map(({ path }) => path);

  expect(readPages(root).flatMap((page) => missingFiles(page, paths))).toEqual([]);
});

test('every time limit of a test comes from tests/support/limits.ts', () => {
  // This file plants some of its own, below.
  const sources = readTestSources(join(import.meta.dirname, '..')).filter(
    ({ path }) => path !== 'tests/architecture.test.ts',
  );

  expect(sources.length).toBeGreaterThan(10);
  expect(sources.flatMap(looseTimeLimits)).toEqual([]);
});

describe('a planted fault is found:', () => {
  const planted = (path: string, code: string) => breaches([{ path, code }], house);

  test.each([
    ['an import upward', `import { a } from '../app/config.ts';`],
    ['a type import upward', `import type { A } from '../relay/accept.ts';`],
    ['an import over several lines', `import {\n  a,\n  b,\n} from '../ledger/store.ts';`],
    ['a re-export upward', `export { a } from '../security/authorize.ts';`],
    ['an import for its effect', `import '../ledger/open.ts';`],
    ['an import() upward', `const a = await import('../cli/main.ts');`],
    ['an import() of a computed name', 'await import(name);'],
    ['a require', `require('node:fs');`],
    ['a package in the kernel', `import * as z from 'zod';`],
    ['a built-in module in the kernel', `import { join } from 'node:path';`],
    ['Date.now', 'export const at = Date.now();'],
    ['new Date()', 'export const at = new Date();'],
    ['a timer', 'setTimeout(() => {}, 5);'],
    ['the timers module', `import { setTimeout as wait } from 'node:timers/promises';`],
    ['performance.now', 'const start = performance.now();'],
    ['Math.random', 'export const dice = () => Math.random();'],
    ['randomUUID', 'export const id = crypto.randomUUID();'],
    ['node:fs', `import { readFileSync } from 'node:fs';`],
    ['fs/promises without its prefix', `import { open } from 'fs/promises';`],
    ['process.env', 'export const home = process.env.HOME;'],
    ['Date.now after a comment mark in a string', `if (word === '/*') return Date.now();`],
    ['Date.now spelt otherwise', `export const at = Date['now']();`],
    ['a clock taken apart', 'const { now } = Date;'],
    ['AbortSignal.timeout', 'AbortSignal.timeout(5);'],
    ['a request', `await fetch('http://localhost');`],
    ['a built-in module by another door', `process.getBuiltinModule('node:os');`],
    ['node:fs in a template', 'process.getBuiltinModule(`node:fs`);'],
    ['the environment taken apart', 'const { env } = process;'],
    ['a new key pair', `generateKeyPairSync('ec');`],
    ['process.env spelt otherwise', `export const home = process['env'];`],
  ])('%s', (_what, code) => {
    expect(planted('src/kernel/planted.ts', code)).not.toEqual([]);
  });

  test('an engine picked anywhere but in compose.ts', () => {
    const code = `import { realDisk } from '../../engines/disk/disk.ts';`;

    expect(planted('src/app/home/files.ts', code)).toHaveLength(1);
    expect(planted('src/app/home/compose.ts', code)).toEqual([]);
  });

  test('a folder that is not in the table', () => {
    const code = `import { a } from '../kernel/errors.ts';`;

    expect(planted('src/utils/strings.ts', code)).not.toEqual([]);
  });

  test('a contract that knows more than the kernel', () => {
    const code = `import { open } from '../../ledger/open.ts';`;

    expect(planted('src/gateway/contract/contract.ts', code)).toHaveLength(1);
    expect(planted('src/gateway/server/server.ts', code)).toEqual([]);
  });

  test('a cycle of three, named once', () => {
    const sources = [
      { path: 'src/kernel/a.ts', code: `import './b.ts';` },
      { path: 'src/kernel/b.ts', code: `import type { C } from './c.ts';` },
      { path: 'src/kernel/c.ts', code: `export { a } from './a.ts';` },
    ];

    expect(breaches(sources, house)).toEqual([
      'a cycle: src/kernel/a.ts -> src/kernel/b.ts -> src/kernel/c.ts -> src/kernel/a.ts',
    ]);
  });

  test('a file that would not be read', () => {
    expect(planted('src/kernel/planted.js', 'Date.now();')).not.toEqual([]);
  });

  test.each([
    ['vi.waitFor', 'await vi.waitFor(look);'],
    ['vi.waitUntil', 'await vi.waitUntil(look, { interval: 1 });'],
    ['expect.poll over two lines', 'await expect\n  .poll(look)\n  .toBe(1);'],
    ['a number after the body of a test', `test('a', () => {\n}, 120_000);`],
    ['a number on a line of its own', `test(\n  'a',\n  () => {\n  },\n  120_000,\n);`],
    ['a timeout among options', `test('a', { timeout: 120_000 }, () => {});`],
    ['a number given to until()', 'await until(() => expect(a).toBe(1), 5000);'],
  ])('a time limit of a test: %s', (_what, code) => {
    const planted = { path: 'tests/planted.ts', code: `/* 1\n2 */\n${code}` };

    expect(looseTimeLimits(planted)).toEqual([
      expect.stringMatching(/^tests\/planted\.ts:[3-6]: /),
    ]);
  });

  test('a time limit of a test that limits.ts has scaled is no fault', () => {
    const code = `test('a', { timeout: limitMs(120_000) }, () => {\n}, limitMs(120_000));`;

    expect(looseTimeLimits({ path: 'tests/planted.ts', code })).toEqual([]);
  });

  test('a name that two files give to a type, an interface or a class', () => {
    const sources = [
      { path: 'src/relay/a.ts', code: 'export interface Claim {}\nexport type Own = 1;' },
      { path: 'src/relay/b.ts', code: 'export class Claim {}\ninterface Own {}' },
      { path: 'src/relay/c.ts', code: `export type { Own } from './a.ts';` },
    ];

    expect(repeatedTypeNames(sources)).toEqual(['Claim: src/relay/a.ts, src/relay/b.ts']);
  });

  test('a file that a page names and that is not there', () => {
    const paths = ['src/relay/files/outbox.ts', 'tests/suites.ts'];
    const code = 'See `relay/files/outbox.ts`, `outbox.ts`, `box.ts` and `tests/suites.ts`.';

    const row = '| `src/ledger` | Not `outbox.ts`. |\n| `src/relay` | But `outbox.ts`. |';

    expect(missingFiles({ path: 'docs/relay.md', code }, paths)).toEqual(['docs/relay.md: box.ts']);
    expect(missingFiles({ path: 'docs/a.md', code: row }, paths)).toEqual(['docs/a.md: outbox.ts']);
  });

  test('a file, a folder and a tree that are too large', () => {
    const code = '//\n'.repeat(3);
    const sources = ['a', 'b', 'c'].map((name) => ({ path: `src/relay/${name}.ts`, code }));

    expect(tooLarge(sources, { linesOfFile: 3, filesOfFolder: 3, files: 3 })).toEqual([]);
    expect(tooLarge(sources, { linesOfFile: 2, filesOfFolder: 2, files: 2 })).toEqual([
      'src/relay/a.ts has 3 lines, and may have 2',
      'src/relay/b.ts has 3 lines, and may have 2',
      'src/relay/c.ts has 3 lines, and may have 2',
      'src/relay has 3 files, and may have 2',
      'src has 3 files, and may have 2',
    ]);
  });

  describe('a label of an invariant that is not defined:', () => {
    const head = '/**\n * Locks.\n *\n * R1. One writes.\n * R2. One ends.\n */\n';
    const lock = { path: 'src/app/home/lock.ts', code: `${head}// R1\nlock(); // R2: it ends\n` };
    const labelsIn = (code: string, ...more: readonly SourceFile[]) =>
      undefinedLabels([lock, ...more, { path: 'src/app/planted.ts', code }]);

    test.each([
      ['in the file in which it stands', '// R1\n', ['R1']],
      ['in the comment with which the file begins', '/**\n * G4. Counts.\n */\n// G5\n', ['G5']],
      ['because it is no list', 'a();\n/**\n * R1. One.\n */\n', ['R1']],
      ['but twice', '/**\n * G4. Counts.\n */\n// All.\n//\n// G4. One.\n', ['G4, twice']],
      ['in the file that is named after it', '/** R3 of lock.ts */', ['R3 of lock.ts']],
      ['in the file that is named before it', '// See lock.ts, R3', ['R3 of lock.ts']],
      ['within a range', '// R1 to R4 of lock.ts', ['R3 of lock.ts', 'R4 of lock.ts']],
      ['in a file that is not there', '// R1 of door.ts', ['R1 of door.ts']],
      ['on a line of its own', '// One, as\n// R1 says\n', ['R1']],
    ])('%s', (_what, code, found) => {
      expect(labelsIn(code)).toEqual(found.map((label) => `src/app/planted.ts: ${label}`));
    });

    test.each([
      ['defined further down', 'a();\n// All of it.\n//\n// G1. One.\n// G2. Two.\n\n// G2\n'],
      ['named with its file', '// R1 of lock.ts, and (home/lock.ts, R2)'],
      ['named with its file over two lines', '/**\n * As told (R1 and R2\n * of lock.ts).\n */'],
      ['of the file that the first comment names', '/** R1 and R2 of lock.ts. */\n// R2\n'],
      ['quoted, or the name of something else', '// `Q3 2026` lies in S3\n'],
    ])('unless it is %s', (_what, code) => {
      expect(labelsIn(code)).toEqual([]);
    });

    test('of two files with one name, in the one beside it', () => {
      const other = { path: 'src/relay/lock.ts', code: '/**\n * R7. One.\n */\n' };
      const beside = { path: 'src/relay/own.ts', code: '// R1 of lock.ts\n' };

      expect(labelsIn('// R7 of lock.ts', other, beside)).toEqual([
        'src/relay/own.ts: R1 of lock.ts',
      ]);
    });
  });

  test('what a comment says is no fault', () => {
    const code = `/* import '../app/config.ts'; */\n// Date.now() would be wrong here\nconst a = '//';`;

    expect(planted('src/kernel/planted.ts', code)).toEqual([]);
  });
});
