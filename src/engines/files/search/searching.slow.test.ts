import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keepCompiled } from '../../../../tests/support/keep-compiled.ts';
import { runAsOrdinary } from '../../../../tests/support/ordinary.ts';
import { type SearchWorld, searchWorld } from '../../../../tests/support/search-world.ts';
import { sharedSearch } from '../../../../tests/support/shared-threads.ts';
import {
  type TemporaryFolder,
  temporaryFolder,
} from '../../../../tests/support/temporary-folder.ts';
import { deep } from '../../../../tests/support/tier.ts';
import { untilTrue } from '../../../../tests/support/until.ts';
import type { Clock } from '../../../kernel/ports.ts';
import { realClock } from '../../clock.ts';
import { bytesOf } from '../../disk/owners.ts';
import { openFileSearching } from './searching.ts';

const support = join(import.meta.dirname, '../../../../tests/support');

keepCompiled();

describe.each([
  ['with ripgrep', {}],
  ['with our own scan', { ripgrep: 'none' }],
  ['with a program that is none', { ripgrep: process.execPath }],
] as const)('%s', (how, options) => {
  const newWorld = sharedSearch(options);
  // It is our own scan that then searches, of which each of these is tested.
  const checked = how === 'with a program that is none' ? deep : test;

  test('"the invoice from Ahmed" is found by its name and its text', async () => {
    await using world = newWorld();
    world.write('Documents/Invoices/invoice-ahmed.txt', 'Invoice 7\nFrom: Ahmed\n');
    world.write('Documents/Invoices/invoice-bob.pdf', '%PDF');
    world.write('notes.md', 'an invoice came\n');
    world.write('other.md', 'nothing\n');

    const { hits, total, by } = await world.search({
      query: 'the invoice from Ahmed',
      filters: { kind: 'file' },
    });

    expect(hits.map(({ file }) => file.path)).toEqual([
      world.at('Documents/Invoices/invoice-ahmed.txt'),
      world.at('Documents/Invoices/invoice-bob.pdf'),
      world.at('notes.md'),
    ]);
    expect(total).toBe(3);
    expect(by).toBe('walk');
    expect(hits[0]?.why).toContain('content has "Ahmed"');
    expect(hits[2]?.line).toEqual({ number: 1, text: 'an invoice came' });
  });

  checked('a text as it stands is found with its signs and capital letters', async () => {
    await using world = newWorld();
    world.write('a.txt', 'one\n(x+y)* = Z\n');
    world.write('b.txt', '(X+Y)* = z\n');

    const { hits } = await world.search({ query: '(x+y)*', how: 'exact', where: 'content' });

    expect(hits.map(({ file, line }) => [file.path, line?.number])).toEqual([
      [world.at('a.txt'), 2],
    ]);
  });

  checked('a pattern that begins like an option is a pattern', async () => {
    await using world = newWorld();
    world.write('a.txt', 'rm -rf x\n');

    expect(await world.paths({ query: '-rf', how: 'exact', where: 'content' })).toEqual(['a.txt']);
  });

  checked('a regular expression is found', async () => {
    await using world = newWorld();
    world.write('a.txt', 'call 555-1234\n');
    world.write('b.txt', 'call nobody\n');

    expect(await world.paths({ query: '\\d{3}-\\d{4}', how: 'regex', where: 'content' })).toEqual([
      'a.txt',
    ]);
  });

  checked('a regular expression that is none is refused in words', async () => {
    await using world = newWorld();
    world.write('a.txt', 'text\n');

    await expect(world.search({ query: '(a', how: 'regex' })).rejects.toMatchObject({
      code: 'files.invalid-input',
    });
  });

  checked('texts with a mark of how they are written are read so', async () => {
    await using world = newWorld();
    world.write('le.txt', Buffer.from('\ufeffsay Ahmed\n', 'utf16le'));
    world.write('be.txt', Buffer.from('\ufeffsay Ahmed\n', 'utf16le').swap16());
    world.write('utf8.txt', '\ufeffsay Ahmed\n');

    const found = await world.paths({ query: 'Ahmed', where: 'content' });

    expect([...found].sort()).toEqual(['be.txt', 'le.txt', 'utf8.txt']);
  });

  checked('of a long line what fits is shown', async () => {
    await using world = newWorld();
    world.write('a.txt', `${'é '.repeat(50_000)}say Ahmed now ${'ü '.repeat(50_000)}\n`);

    const [hit] = (await world.search({ query: 'Ahmed', where: 'content' })).hits;

    expect(hit?.line?.text).toContain('say Ahmed now');
    expect(hit?.line?.text).toHaveLength(200);
  });

  checked('a pattern leads into folders where nothing else does', async () => {
    await using world = newWorld();
    for (const name of ['sub/a.md', 'sub/b.txt', 'c.md']) world.write(name, 'Ahmed\n');
    const filters = { kind: 'file', glob: ['sub', '*.md'] } as const;

    expect(await world.paths({ query: 'Ahmed', recursive: false, filters })).toEqual(['sub/a.md']);
  });

  checked('a file with a zero in it is no text', async () => {
    await using world = newWorld();
    world.write('a.bin', 'ahmed\n\0\n');

    expect(await world.paths({ query: 'ahmed', where: 'content' })).toEqual([]);
  });

  checked('a name with line ends, escapes and bytes that are no text breaks nothing', async () => {
    await using world = newWorld();
    const name = 'a\n{"type":"end"}\u001b[31m\u202e\udcff.txt';
    writeFileSync(bytesOf(world.at(name)), 'Ahmed\n');

    const [hit] = (await world.search({ query: 'Ahmed', where: 'content' })).hits;

    expect(hit?.file.path).toBe(world.at(name));
    expect(hit?.line?.text).toBe('Ahmed');
  });

  checked('what a symlink leads to is not searched', async () => {
    await using world = newWorld();
    mkdirSync(world.outside('secret'));
    writeFileSync(world.outside('secret', 'ahmed.txt'), 'Ahmed\n');
    symlinkSync(world.outside('secret'), world.at('folder'));
    symlinkSync(world.outside('secret', 'ahmed.txt'), world.at('letter.txt'));
    symlinkSync('.', world.at('loop'));

    expect(await world.paths({ query: 'Ahmed', filters: { kind: 'file' } })).toEqual([]);
  });

  checked('a pipe in the tree is not waited for', async () => {
    await using world = newWorld();
    execFileSync('mkfifo', [world.at('ahmed.pipe')]);
    world.write('b.txt', 'Ahmed\n');

    expect(await world.paths({ query: 'Ahmed', where: 'content' })).toEqual(['b.txt']);
  });

  checked('hidden names and what is passed over are left out', async () => {
    await using world = newWorld();
    for (const name of [
      '.hidden.txt',
      '.git/x.txt',
      'trash/y.txt',
      'node_modules/z.txt',
      'a.txt',
    ]) {
      world.write(name, 'Ahmed\n');
    }
    const wanted = {
      query: 'Ahmed',
      passOver: [world.at('trash')],
      filters: { kind: 'file', exclude: ['node_modules'] },
    } as const;

    expect(await world.paths(wanted)).toEqual(['a.txt']);
    expect([...(await world.paths({ ...wanted, hidden: true }))].sort()).toEqual([
      '.git/x.txt',
      '.hidden.txt',
      'a.txt',
    ]);
  });

  checked('only what is in reach is returned and counted', async () => {
    await using world = newWorld();
    for (const name of ['in/ahmed.txt', 'out/ahmed.txt', 'in/.env']) world.write(name, 'Ahmed\n');
    const segments = world
      .at('in')
      .split('/')
      .slice(1)
      .map((name) => ({ name }));
    const chains = [[{ kind: 'path', segments, subtree: true } as const]];
    const reach = { kind: 'granted', aosHome: world.outside('aos'), chains } as const;

    const found = await world.search({ query: 'Ahmed', hidden: true, reach });

    expect(found.hits.map(({ file }) => file.path)).toEqual([world.at('in/ahmed.txt')]);
    expect(found.total).toBe(1);
  });

  checked('sizes, dates and patterns narrow it', async () => {
    await using world = newWorld();
    world.write('old.txt', 'Ahmed\n');
    utimesSync(world.at('old.txt'), 1000, 1000);
    world.write('large.txt', `Ahmed\n${'x'.repeat(5000)}`);
    world.write('sub/small.md', 'Ahmed\n');
    const paths = (filters: object) =>
      world.paths({ query: 'Ahmed', filters: { kind: 'file', ...filters } });

    expect(await paths({ modifiedBefore: 2_000_000 })).toEqual(['old.txt']);
    expect(await paths({ sizeGt: 1000 })).toEqual(['large.txt']);
    expect(await paths({ glob: ['sub', '*.md'] })).toEqual(['sub/small.md']);
    expect(await paths({ name: '*.md' })).toEqual(['sub/small.md']);
  });

  checked('without folders below, only the base is searched', async () => {
    await using world = newWorld();
    world.write('a.txt', 'Ahmed\n');
    world.write('sub/ahmed.txt', 'Ahmed\n');

    expect(await world.paths({ query: 'Ahmed', recursive: false })).toEqual(['a.txt']);
  });

  checked('no more than asked for are returned, and all are counted', async () => {
    await using world = newWorld();
    for (let index = 0; index < 30; index++) world.write(`${index}.txt`, 'Ahmed\n');

    const { hits, total, truncated } = await world.search({ query: 'Ahmed', limit: 7 });

    expect([hits.length, total, truncated]).toEqual([7, 30, true]);
  });
});

test('ripgrep and our own scan find the same, in the same order', async () => {
  const words = [
    'Ahmed',
    'ahmeds',
    'xahmed',
    'x_ahmed',
    'Ahmedabad',
    'AHMED!',
    'Müller',
    'mullers',
  ];
  const found: unknown[] = [];
  for (const options of [{}, { ripgrep: 'none' }] as const) {
    await using world = searchWorld(options);
    for (let index = 0; index < 200; index++) {
      const text = Array.from({ length: 5 }, (_, line) => words[(index * 7 + line * line) % 8]);
      world.write(`${index % 9}/${index}.txt`, `${text.slice(0, index % 6).join(' and\r\n')}\n`);
      utimesSync(world.at(`${index % 9}/${index}.txt`), 1000, 1000);
    }
    for (const query of ['ahmed', 'Müller', 'muller', 'tax and ahmed', 'the']) {
      const { hits, total } = await world.search({ query, where: 'content' });
      const told = hits.map(({ file, ...hit }) => ({ ...hit, path: file.path.split('/tree/')[1] }));
      found.push({ query, total, told });
    }
  }

  expect(found.slice(0, 5)).toEqual(found.slice(5));
  expect(found[0]).toMatchObject({ total: expect.any(Number) });
});

describe('what ripgrep says is looked at again:', () => {
  /** Says what it is told to say, in ripgrep's words. */
  function falseRipgrep(world: SearchWorld, path: string, line: string): string {
    const data = { path: { text: path } };
    const match = { lines: { text: line }, line_number: 1, absolute_offset: 0 };
    const submatches = [{ match: { text: line.trim() }, start: 0, end: line.length }];
    const said = [
      { type: 'begin', data },
      { type: 'match', data: { ...data, ...match, submatches } },
      { type: 'end', data: { ...data, binary_offset: null } },
      { type: 'summary' },
    ];
    writeFileSync(world.outside('said'), said.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const program = world.outside('false-rg');
    writeFileSync(program, `#!/bin/sh\nexec cat '${world.outside('said')}'\n`, { mode: 0o700 });
    return program;
  }

  async function hitsOf(path: string, line: string) {
    await using world = searchWorld();
    world.write('a.txt', 'Ahmed\n');
    mkdirSync(world.outside('secret'));
    writeFileSync(world.outside('secret', 'b.txt'), 'Ahmed\n');
    symlinkSync(world.outside('secret'), world.at('folder'));
    symlinkSync(world.outside('secret', 'b.txt'), world.at('link.txt'));
    await using misled = openFileSearching({
      ...{ looking: world.looking, clock: realClock, indexFolder: world.outside('index') },
      ripgrep: falseRipgrep(world, path, line),
    });
    const request = world.request({ query: 'Ahmed', where: 'content', hidden: true });
    return (await misled.search(request, new AbortController().signal)).hits.length;
  }

  test.each([
    ['a line that is there', './a.txt', 'Ahmed\n', 1],
    ['a line that is not there', './a.txt', 'Ahmed was here\n', 0],
    ['a file that is not there', './c.txt', 'Ahmed\n', 0],
    ['a file behind a folder that is a symlink', './folder/b.txt', 'Ahmed\n', 0],
    ['a file that is a symlink', './link.txt', 'Ahmed\n', 0],
    ['a file above the base', './../secret/b.txt', 'Ahmed\n', 0],
  ])('%s', async (_what, path, line, hits) => {
    expect(await hitsOf(path, line)).toBe(hits);
  });
});

test.each(['rg', 'none'])('what cannot be read is told, and the rest found (%s)', (ripgrep) => {
  // Root may read everything.
  const script = `
    import { chmodSync } from 'node:fs';
    import { searchWorld } from '${support}/search-world.ts';
    await using world = searchWorld(${ripgrep === 'none' ? `{ ripgrep: 'none' }` : ''});
    for (const name of ['a.txt', 'closed.txt', 'locked/b.txt']) world.write(name, 'Ahmed');
    chmodSync(world.at('closed.txt'), 0);
    chmodSync(world.at('locked'), 0);
    const found = await world.search({ query: 'Ahmed', where: 'content' });
    chmodSync(world.at('locked'), 0o700);
    const told = found.skipped.map(({ path, why }) => [path.split('/tree/')[1], why]).sort();
    console.log(JSON.stringify({ hits: found.hits.length, told, total: found.skippedTotal }));`;

  expect(runAsOrdinary(script)).toEqual({
    hits: 1,
    told: [
      ['closed.txt', 'unreadable'],
      ['locked', 'unreadable'],
    ],
    total: 2,
  });
});

const newWorld = sharedSearch();

test('a regular expression that takes for ever over a text is no trouble', async () => {
  await using world = newWorld();
  world.write('a.txt', `${'a'.repeat(50_000)}!\n`);

  expect(await world.paths({ query: '(a+)+$', how: 'regex', where: 'content' })).toEqual([]);
});

test('one that takes for ever over a name is broken off', async () => {
  // Its seconds are a twentieth as long.
  const sleep: Clock['sleep'] = (ms, signal) => realClock.sleep(ms / 20, signal);
  const clock = { ...realClock, sleep };
  await using world = searchWorld({ timeLimitMs: 500, clock });
  world.write(`${'a'.repeat(200)}!`, '');

  const search = world.search({ query: '(a+)+$', how: 'regex', where: 'name' });

  await expect(search).rejects.toMatchObject({ code: 'files.timeout' });
});

test('one that ends on a name is found', async () => {
  await using world = newWorld();
  world.write(`${'a'.repeat(200)}!`, '');

  expect(await world.paths({ query: '!$', how: 'regex', where: 'name' })).toHaveLength(1);
});

describe('of a program that reads texts', () => {
  /** Reads for ever, as ripgrep over a very large tree; tells by a file that it runs. */
  function lastingProgram(folder: TemporaryFolder): string {
    const script = `#!/bin/sh\n: > '${folder.at('started')}'\nexec sleep 86400\n`;
    writeFileSync(folder.at('lasting'), script, { mode: 0o700 });
    return folder.at('lasting');
  }

  test.each(['words', 'regex'] as const)(
    'nothing is left when who asks for %s cancels, who gets their reason',
    async (how) => {
      await using folder = temporaryFolder();
      await using world = searchWorld({ ripgrep: lastingProgram(folder) });
      world.write('a.txt', 'Ahmed\n');
      const cancel = new AbortController();
      const reason = new Error('no more');

      const search = world.searching.search(world.request({ query: 'Ahmed', how }), cancel.signal);
      await untilTrue(() => existsSync(folder.at('started')));
      cancel.abort(reason);

      await expect(search).rejects.toBe(reason);
      expect(childrenCalled('sleep')).toEqual([]);
    },
  );

  test('nothing is left when it is closed in the middle', async () => {
    await using folder = temporaryFolder();
    await using world = searchWorld({ ripgrep: lastingProgram(folder) });
    world.write('a.txt', 'Ahmed\n');

    const search = world.search({ query: 'Ahmed' });
    await untilTrue(() => existsSync(folder.at('started')));
    await Promise.all([
      expect(search).rejects.toMatchObject({ code: 'files.failed' }),
      world.searching[Symbol.asyncDispose](),
    ]);

    expect(childrenCalled('sleep')).toEqual([]);
    await expect(world.search({ query: 'Ahmed' })).rejects.toMatchObject({ code: 'files.failed' });
  });

  deep('nothing is left of ripgrep over many texts', async () => {
    await using world = searchWorld();
    for (let index = 0; index < 2000; index++) world.write(`${index}.txt`, 'Ahmed '.repeat(2000));
    for (const how of ['words', 'regex'] as const) {
      const cancel = new AbortController();
      const reason = new Error('no more');

      const search = world.searching.search(world.request({ query: 'Ahmed', how }), cancel.signal);
      // Once a program of ours reads the tree.
      await untilTrue(() => childrenCalled('rg').length > 0);
      cancel.abort(reason);

      await expect(search).rejects.toBe(reason);
      expect(childrenCalled('rg')).toEqual([]);
    }
  });
});

/** The ids of those that this process has started. */
function childrenCalled(name: string): readonly string[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => {
    try {
      const [, command, parent] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return command === name && parent === String(process.pid);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

test('two searches at once have each their own answer', async () => {
  await using world = newWorld();
  world.write('a.txt', 'Ahmed\n');
  world.write('b.txt', 'Beate\n');

  const found = await Promise.all(
    ['Ahmed', 'Beate', 'Ahmed'].map((query) => world.paths({ query })),
  );

  expect(found).toEqual([['a.txt'], ['b.txt'], ['a.txt']]);
});

test('a base that is gone is told in words', async () => {
  await using world = newWorld();
  rmSync(world.base.path, { recursive: true });
  const base = { held: world.base.path, path: world.base.path };

  await expect(world.search({ query: 'Ahmed', base })).rejects.toMatchObject({
    code: 'files.not-found',
  });
});

test('types by content narrow a search', async () => {
  await using world = searchWorld();
  world.write('report.txt', 'plain text\n');
  world.write('report.pdf', '%PDF-1.7\n');

  const types = ['pdf'];

  expect(await world.paths({ query: 'report', filters: { kind: 'file', types } })).toEqual([
    'report.pdf',
  ]);
});
