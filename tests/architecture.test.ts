import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  breaches,
  type HouseRules,
  looseTimeLimits,
  readSources,
  readTestSources,
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
    tools: ['kernel', 'ledger', 'security'],
    runtime: ['kernel', 'ledger', 'security', 'models', 'relay', 'memory', 'tools'],
    operations: ['kernel', 'ledger', 'blobs', 'security', 'relay', 'runtime'],
    toolbox: upToOperations,
    gateway: [...upToOperations, 'toolbox'],
    // What a request may have is said once, for tools, HTTP and messages.
    'gateway/contract': ['kernel', 'files/input', 'runtime/followers'],
    'gateway/client': ['kernel', 'gateway/contract'],
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
      except: /^src\/engines\/(?:clock|event-loop)\.ts$/,
    },
    {
      what: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\b|\bgenerateKey(?:Pair)?(?:Sync)?\b/,
      why: 'throws dice; take a Random',
      // The page seals in the browser, which has its own.
      except: /^src\/(?:engines\/random|gateway\/pages\/link-page-seal)\.ts$/,
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

  test('what a comment says is no fault', () => {
    const code = `/* import '../app/config.ts'; */\n// Date.now() would be wrong here\nconst a = '//';`;

    expect(planted('src/kernel/planted.ts', code)).toEqual([]);
  });
});
