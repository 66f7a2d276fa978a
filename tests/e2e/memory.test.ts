/** `aos memory` as its users have it, with a real daemon. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aosHere } from '../support/aos-here.ts';
import { filesWith, newCanary } from '../support/canary.ts';
import { type MemoryHome, memoryHome } from '../support/memory-home.ts';
import { lookIntoInbox } from '../support/message-files.ts';
import { type Run, runAos, stackLine } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const longTerm = ['--scope', 'long-term'] as const;

// One for all: each test has keys and words, or an agent, of its own.
let home: MemoryHome;

beforeAll(async () => {
  home = await memoryHome();
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

/** The columns of each line. */
function columns({ stdout }: Run): string[][] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('store and get', () => {
  test('give back word for word what was given, and nothing else', async () => {
    const value = 'Grüße,\n\t"two" – 😀 \u001b[31mred';

    const stored = await home.program.memory('store', 'house/door', value, ...longTerm);
    const got = await home.program.memory('get', 'house/door', ...longTerm);

    expect(stored).toMatchObject({
      ...{ code: 0, stderr: '', stdout: 'Stored "house/door" in long-term, version 1.\n' },
    });
    expect(got).toMatchObject({ code: 0, stderr: '', stdout: value });
  });

  test('say that the same stands there already', async () => {
    await home.memory('store', 'twice', 'x');

    const again = await home.memory('store', 'twice', 'x');

    expect(again.stdout).toBe('"twice" in working says that already (version 1).\n');
  });

  test('take what is piped in, and JSON', async () => {
    const piped = await home.program.piped(`printf 'one\\ntwo\\n'`, 'store', 'notes', '-');
    const json = await home.memory('store', 'limits', '{"mails": [5, null]}', '--json-value');

    expect([piped.code, json.code]).toEqual([0, 0]);
    expect((await home.memory('get', 'notes')).stdout).toBe('one\ntwo\n');
    expect(JSON.parse((await home.memory('get', 'limits')).stdout)).toEqual({ mails: [5, null] });
  });

  test('with --json tell all that is known of it', async () => {
    const more = ['--tag', 'b', '--tag', 'a', '--thread', 'talk', '--pin'];
    await home.memory('store', 'all-known', 'x', ...more);

    const { data } = await home.json('get', 'all-known');

    expect(data).toMatchObject({
      ...{ found: true, scope: 'working', key: 'all-known', of: 'owner', version: 1, value: 'x' },
      ...{ tags: ['a', 'b'], thread: 'talk', pinned: true, author: 'owner' },
    });
  });

  test('refuse JSON that is nested too deeply to be sent', async () => {
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;

    const run = await home.piped(deep, 'store', 'deep', '-', '--json-value');

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('nested too deeply') });
  });

  test('--as-of tells what was so then', async () => {
    const from = (date: string) => ['--valid-from', date];
    await home.memory('store', 'door/as-of', 'blue', ...from('2024-01-01'));
    await home.memory('store', 'door/as-of', 'green', ...from('2025-06-01T12:00:00Z'));

    const then = await home.memory('get', 'door/as-of', '--as-of', '2025-01-01');
    const before = await home.memory('get', 'door/as-of', '--as-of', '2023-01-01');

    expect(then.stdout).toBe('blue');
    expect(before.code).toBe(4);
    expect((await home.memory('get', 'door/as-of')).stdout).toBe('green');
  });

  test('--of is whose it is, and nobody else’s is changed', async () => {
    await home.memory('store', 'of-jean', 'of jean', '--of', 'jean');

    expect((await home.memory('get', 'of-jean', '--as', 'jean')).stdout).toBe('of jean');
    expect((await home.memory('get', 'of-jean')).code).toBe(4);
  });

  test('--ttl is the time after which nobody is told', async () => {
    await home.memory('store', 'for-a-month', 'x', '--ttl', '30d');

    const { data } = await home.json('get', 'for-a-month');
    const at = (name: string) => Date.parse(String(data?.[name]));
    expect(at('expires_at') - at('created_at')).toBe(30 * 86_400_000);
  });

  test('a value of a MiB comes back whole', async () => {
    const value = 'abcdefgh'.repeat(1024 * 128 - 200);
    writeFileSync(home.folder.at('large.txt'), value);

    const cat = `cat '${home.folder.at('large.txt')}'`;
    const stored = await home.program.piped(cat, 'store', 'large');
    const got = await home.program.memory('get', 'large');

    expect(stored.code).toBe(0);
    expect(got.stdout === value).toBe(true);
  });

  test('a value that is larger is refused, with what to do', async () => {
    const run = await home.piped('x'.repeat(1048577), 'store', 'larger');

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('store it as a file') });
  });
});

test('at a terminal a value cannot move the cursor', async () => {
  await home.memory('store', 'odd', 'a\u001b[2Jb\u202ec\r\nd');

  const run = await home.program.typed([], 'get', 'odd');

  expect(run.stdout).toContain('a\\u001b[2Jb\\u202ec\\u000d');
  expect(run.stdout).not.toMatch(/\u001b\[2J|\u202e/);
});

describe('search', () => {
  test('shows score, place, key, day and what fits, the likeliest first', async () => {
    await home.memory('store', 'barn/door', 'The barn is painted crimson.', ...longTerm);
    await home.memory('store', 'barn/roof', 'The roof of it is painted black.', ...longTerm);

    const run = await home.memory('search', 'what', 'colour', 'is', 'the', 'crimson', 'barn');

    const [first] = columns(run);
    expect(first).toEqual([
      ...[expect.stringMatching(/^[01]\.\d\d$/), 'long-term', 'barn/door'],
      ...[expect.stringMatching(/^\d{4}-\d\d-\d\d$/), expect.stringContaining('crimson')],
    ]);
  });

  test('--explain says what each score is made of', async () => {
    await home.memory('store', 'explained', 'It is turquoise.');

    const run = await home.memory('search', 'turquoise', '--explain');

    expect(run.stdout).toMatch(/\n {6}words \d\.\d\d, recency \d\.\d\d\n$/);
  });

  test('says of what it finds in others’ memories whose it is', async () => {
    const name = await home.agent('owner-of-a-door');
    await home.memory('store', 'door', 'It is green.', '--of', name, ...longTerm);

    const owners = await home.memory('search', 'green', '--of', name);
    const hers = await home.memory('search', 'green', '--as', name);

    expect(columns(owners)[0]?.[1]).toBe(`long-term of ${name}`);
    expect(columns(hers)[0]?.[1]).toBe('long-term');
  });

  test('that finds nothing says so, and what was searched', async () => {
    const run = await home.memory('search', 'zebra', '--of', 'jean', '--prefix', 'zoo/');

    expect(run).toMatchObject({
      code: 0,
      stdout: 'Nothing was found for "zebra" in all scopes of jean, below "zoo".\n',
    });
  });

  test('narrows by prefix, tag, time and number', async () => {
    const own = ['--of', await home.agent('narrow')];
    const old = ['--valid-from', '2024-01-01'];
    await home.memory('store', 'a/one', 'green apple', '--tag', 'fruit', ...own);
    await home.memory('store', 'a/two', 'green pear', '--tag', 'fruit', ...old, ...own);
    await home.memory('store', 'b/three', 'green door', ...own);
    const keys = async (...words: string[]) => {
      const { data } = await home.json('search', 'green', ...words, ...own);
      // As parsed from what the command printed.
      return (data?.['hits'] as undefined | { key: string }[])?.map(({ key }) => key).sort();
    };

    expect(await keys('--prefix', 'a')).toEqual(['a/one', 'a/two']);
    expect(await keys('--tag', 'fruit', '--after', '7d')).toEqual(['a/one']);
    expect(await keys('--before', '2025-01-01')).toEqual(['a/two']);
    expect(await keys('--limit', '1')).toHaveLength(1);
  });

  test('--by thread shows the best of each conversation', async () => {
    const own = ['--of', await home.agent('talkative')];
    for (const [key, thread] of Object.entries({ a: 'one', b: 'one', c: 'two' })) {
      await home.memory('store', key, `Talk ${key} of the green door`, '--thread', thread, ...own);
    }

    const { data } = await home.json('search', 'green', 'door', '--by', 'thread', ...own);

    expect(data?.['hits']).toHaveLength(2);
  });

  test('takes a query of operators for words, and breaks at none', async () => {
    await home.memory('store', 'a', 'something else');
    const queries = ['AND OR NOT', '"', '* * *', 'NEAR(a b, 2)', 'key:x ^y -z {a b}', "'; drop--"];

    for (const query of queries) {
      const run = await home.memory('search', '--', query);

      expect([0, 2], query).toContain(run.code);
      expect(run.stderr).not.toMatch(stackLine);
    }
  });

  test('shows no more of hostile keys and values than can be read', async () => {
    await home.memory('store', 'hostile', 'lavender\u001b[2J\u202e\r\nsecond line');

    const run = await home.memory('search', 'lavender');

    expect(run.stdout).toContain('\\u001b[2J');
    expect(run.stdout).not.toMatch(/[\u001b\u202e\r]/);
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('list and history', () => {
  test('show keys below a prefix, page by page', async () => {
    const own = ['--of', await home.agent('listed')];
    for (const key of ['a', 'b/1', 'b/2', 'b/3']) {
      await home.memory('store', key, `of ${key}`, ...own);
    }

    const all = await home.memory('list', 'b/', ...own);
    const some = await home.memory('list', 'b', '--limit', '2', ...own);
    const rest = await home.memory('list', 'b', '--after', 'b/2', ...own);

    expect(columns(all).map(([, key]) => key)).toEqual(['b/1', 'b/2', 'b/3']);
    expect(some.stderr).toBe('There are more: --limit N, or --after "b/2".\n');
    expect(columns(rest).map(([, key]) => key)).toEqual(['b/3']);
  });

  test('look into all scopes where none is named, a page at a time', async () => {
    const own = ['--of', await home.agent('everywhere')];
    for (const [scope, key] of [
      ['working', 'a'],
      ['long-term', 'a'],
      ['context', 'b'],
      ['long-term', 'c'],
    ] as const) {
      await home.memory('store', key, 'x', '--scope', scope, ...own);
    }
    await home.memory('store', 'everywhere/a', 'x', '--scope', 'shared');

    const all = await home.memory('list', ...own);
    const page = await home.memory('list', '--limit', '1', ...own);
    const rest = await home.memory('list', '--after', 'a', ...own);
    const one = await home.memory('list', '--scope', 'long-term', ...own);
    const asAgent = await home.memory('list', '--as', 'everywhere');
    const shared = await home.memory('list', 'everywhere');

    const places = (run: Run) => columns(run).map(([scope, key]) => `${scope} ${key}`);
    expect(places(all).sort()).toEqual(['context b', 'long-term a', 'long-term c', 'working a']);
    expect(places(page).sort()).toEqual(['long-term a', 'working a']);
    expect(page.stderr).toBe('There are more: --limit N, or --after "a".\n');
    expect(places(rest)).toEqual(['context b', 'long-term c']);
    expect(columns(one).map(([key]) => key)).toEqual(['a', 'c']);
    expect(places(asAgent)).toEqual(places(all));
    expect(places(shared)).toEqual(['shared everywhere/a']);
  });

  test('leave out a scope that an agent may not list, and say so where it may list none', async () => {
    await home.daemon.client.register('confined');
    const before = await home.memory('list', '--as', 'confined');
    await home.daemon.client.grant({
      agent: 'confined',
      capability: 'memory:working/**:read,write',
    });
    await home.memory('store', 'a', 'x', '--as', 'confined');

    const after = await home.memory('list', '--as', 'confined');

    expect(before).toMatchObject({ code: 3, stdout: '' });
    expect(after.stdout).toMatch(/^working {2}a {2}v1 .*\n$/);
  });

  test('say that there is nothing', async () => {
    const list = await home.memory('list', '--of', await home.agent('empty'));
    const history = await home.memory('history', 'none');

    expect(list.stdout).toBe('Nothing of empty is remembered.\n');
    expect(history).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There is no memory "none" in working'),
    });
  });

  test('keep every version, and of a forgotten one that it was', async () => {
    for (const value of ['blue', 'green']) await home.memory('store', 'versioned', value);

    const versions = await home.memory('history', 'versioned');
    const forgotten = await home.memory('forget', 'versioned');
    const after = await home.memory('history', 'versioned');

    expect(columns(versions).map((line) => [line[0], line.at(-1)])).toEqual([
      ...[
        ['v2', 'green'],
        ['v1', 'blue'],
      ],
    ]);
    expect(forgotten.stdout).toContain('"versioned" in working is forgotten.');
    expect(after.stdout).toContain('(forgotten ');
    expect(after.stdout).not.toContain('green');
    expect((await home.memory('get', 'versioned')).code).toBe(4);
  });
});

test('pin marks a memory, and --off takes the mark away', async () => {
  await home.memory('store', 'rules', 'Never on Sundays.');

  const pinned = await home.memory('pin', 'rules');
  const listed = await home.memory('list', 'rules');
  const off = await home.memory('pin', 'rules', '--off');

  expect(pinned.stdout).toBe('"rules" in working is pinned.\n');
  expect(listed.stdout).toContain('(pinned) Never on Sundays.');
  expect(off.stdout).toBe('"rules" in working is not pinned any more.\n');
  expect((await home.memory('pin', 'none')).code).toBe(4);
});

describe('purge', () => {
  const purge = (name: string) => ['purge', `${name}/`, ...longTerm];

  /** Until the ledger has it as delivered too, which comes a moment after the file. */
  function untilInInbox(agent: string, canary: string): Promise<void> {
    return until(async () => {
      const found = lookIntoInbox(home.home, agent).filter(({ body }) =>
        // Up to what JSON writes otherwise.
        body.includes(canary.slice(0, 20)),
      );
      expect(found).not.toEqual([]);
      for (const { headers } of found) {
        const why = await home.aos('why', headers['ID'] ?? '');
        expect(why.stdout).toContain(`delivered to ${agent} as a file in its inbox`);
      }
    });
  }

  /** A house with a door, and a boat that only begins like it. */
  async function storeHouse(name: string): Promise<readonly string[]> {
    await home.memory('store', name, 'one', ...longTerm);
    await home.memory('store', `${name}/door`, 'canary-81d2', ...longTerm);
    await home.memory('store', `${name}boat`, 'stays', ...longTerm);
    return purge(name);
  }

  test('asks first, in words that say what goes and what stays', async () => {
    const words = await storeHouse('asked');

    const no = await home.typed(['n'], ...words);
    const yes = await home.program.typed(['y'], ...words);

    expect(no.code).toBe(5);
    expect(no.stdout).toContain(
      'Erase 2 versions of "asked" and all that lies below it in long-term, and the journals of 2 calls that saw them, for good?',
    );
    expect(no.stdout).toMatch(/Backups that were made before still hold it.*mail and files/);
    expect(yes.stdout).toContain('Erased 2 versions of "asked"');
    expect((await home.memory('get', 'asked/door', ...longTerm)).code).toBe(4);
    expect((await home.memory('get', 'askedboat', ...longTerm)).stdout).toBe('stays');
  });

  test('needs --yes where nobody can be asked, and for a program always', async () => {
    const words = await storeHouse('unasked');

    const run = await home.memory(...words);
    const { error } = await home.json(...words);
    const typed = await home.typed(['y'], ...words, '--json');

    expect(run).toMatchObject({ code: 5, stderr: expect.stringContaining('--yes') });
    expect(error).toMatchObject({ code: 'memory.kept', details: { versions: 2, calls: 2 } });
    expect(typed.stdout).not.toContain('[y/N]');
    expect((await home.memory('get', 'unasked/door', ...longTerm)).code).toBe(0);
  });

  test('of a dry run erases nothing', async () => {
    const words = await storeHouse('dry');

    const run = await home.memory(...words, '--dry-run');

    expect(run.stdout).toMatch(/^Would erase 2 versions of "dry"/);
    expect((await home.memory('get', 'dry/door', ...longTerm)).code).toBe(0);
  });

  test('leaves nothing of it in any file of the home, nor of what has seen it', async () => {
    const name = await home.agent('forgetful');
    const canary = newCanary();
    await home.memory('store', 'house/secret', canary, ...longTerm, '--of', name);
    await home.memory('store', 'house/secret', `${canary} again`, ...longTerm, '--of', name);
    await home.memory('search', 'cnry', '--as', name);
    await home.memory('export', '--of', name);
    const before = filesWith(canary, home.home);

    const run = await home.memory(...purge('house'), '--of', name, '--yes');

    expect(before).not.toEqual([]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Erased 2 versions/) });
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it where storing it failed', async () => {
    const canary = newCanary();
    const words = ['store', 'failed', canary, ...longTerm, '--valid-to', '2020-01-01'];
    const failed = await home.memory(...words);

    const run = await home.memory(...purge('failed'), '--yes');

    expect([failed.code, run.code]).toEqual([2, 0]);
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it in what a human was asked and told', async () => {
    const canary = newCanary();
    await home.aos('cap', 'grant', 'sam', 'memory:long-term/**:read,write', '--ask');
    const approved = async (...asked: readonly string[]) => {
      const { stderr } = await home.memory(...asked, ...longTerm, '--as', 'sam');
      const id = /aos approvals approve ([0-9a-f]+)/.exec(stderr)?.[1] ?? '';
      expect((await home.aos('approvals', 'approve', id, '--yes')).code).toBe(0);
    };
    await approved('store', 'house', canary);
    await approved('get', 'house');
    await untilInInbox('sam', canary);

    const run = await home.memory(...purge('house'), '--of', 'sam', '--yes');

    expect(run.code).toBe(0);
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it in the messages by which a state was saved and loaded', async () => {
    const canary = newCanary();
    const outbox = `${home.home}/agents/jean/outbox`;
    const asking = (name: string, body: string) =>
      writeFileSync(`${outbox}/${name}.msg`, `TO: __orchestrator__\nKIND: continuity\n\n${body}`);
    asking('save', `ACTION: save\nKEY: state\n\n${canary}`);
    await until(() => expect(filesWith(canary, `${home.home}/archive`)).not.toEqual([]));
    asking('load', 'ACTION: load\nKEY: state\n');
    await untilInInbox('jean', canary);

    const run = await home.memory('purge', 'state', '--of', 'jean', '--yes');

    expect(run.code).toBe(0);
    expect(filesWith(canary, home.home)).toEqual([]);
  });
});

describe('share', () => {
  test('lets an agent read and search until it is taken back', async () => {
    const name = await home.agent('borrower');
    await home.memory('store', 'lent/door', 'It is maroon.', ...longTerm);
    const read = ['get', 'lent/door', ...longTerm, '--of', 'owner', '--as', name] as const;
    const search = ['search', 'maroon', '--as', name] as const;

    const before = await home.memory(...read);
    const shared = await home.memory('share', 'lent', '--with', name, ...longTerm);
    const [got, found] = [await home.memory(...read), await home.memory(...search)];
    const listed = await home.memory('shares');
    const taken = await home.memory('unshare', 'lent', '--with', name, ...longTerm);
    const after = await home.memory(...read);

    expect([before.code, got.stdout, after.code]).toEqual([3, 'It is maroon.', 3]);
    expect(shared.stdout).toMatch(/^borrower may now read and search "lent" in long-term \(grant /);
    expect(columns(found)[0]?.[1]).toBe('long-term of owner');
    expect(listed.stdout).toContain(
      'with borrower  by owner  memory:of/owner/long-term/lent/**:read,search\n',
    );
    expect(taken.stdout).toContain('is not shared with borrower any more (1 grant revoked)');
    expect((await home.memory('unshare', 'lent', '--with', name, ...longTerm)).code).toBe(4);
  });

  test('leaves a line in the audit for every read of another', async () => {
    await home.memory('store', 'seen-door', 'It is green.', '--of', 'jean');
    await home.memory('share', 'seen-door', '--with', 'sam', '--as', 'jean', '--expires', '7d');

    await home.memory('get', 'seen-door', '--of', 'jean', '--as', 'sam');

    const audit = await home.aos('audit', '--kind', 'memory.read');
    expect(audit.stdout).toMatch(
      /agent:sam {2}memory\.read {2}agent:jean .*memory:of\/jean\/working\/seen-door:read/,
    );
  });

  test('of a space is for all who were granted it', async () => {
    for (const agent of ['jean', 'sam']) {
      const capability = 'memory:shared/team/**:read,write,search';
      await home.daemon.client.grant({ agent, capability });
    }
    const shared = ['--scope', 'shared'] as const;

    await home.memory('store', 'team/plan', 'Paint.', ...shared, '--as', 'jean');
    const got = await home.memory('get', 'team/plan', ...shared, '--as', 'sam');
    const other = await home.memory('store', 'board/plan', 'x', ...shared, '--as', 'sam');

    expect(got.stdout).toBe('Paint.');
    expect(other.code).toBe(3);
  });
});

describe('export and import', () => {
  test('carry every version through a pipe into another’s memory', async () => {
    const own = ['--of', await home.agent('exporter')];
    const other = ['--of', await home.agent('importer')];
    for (const value of ['blue', 'green\u001b[31m']) {
      await home.memory('store', 'door', value, ...own);
    }
    const file = home.folder.at('memories.jsonl');

    const exported = await home.program.memory('export', ...own);
    writeFileSync(file, exported.stdout);
    const first = await home.memory('import', file, ...other);
    const second = await home.program.piped(`cat '${file}'`, 'import', ...other);

    expect(
      exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).value),
    ).toEqual([...['blue', 'green\u001b[31m']]);
    expect(first.stdout).toBe('Imported 2 versions.\n');
    expect(second.stdout).toBe('Imported 0 versions. 2 were there already.\n');
    expect((await home.memory('get', 'door', ...other)).stdout).toBe('green\u001b[31m');
  });

  test('of a file with a wrong line imports nothing', async () => {
    const own = ['--of', await home.agent('nonsense')];
    const other = ['--of', await home.agent('sense')];
    await home.memory('store', 'door', 'blue', ...own);
    const file = home.folder.at('with-nonsense.jsonl');
    writeFileSync(file, `${(await home.memory('export', ...own)).stdout}nonsense\n`);

    const run = await home.memory('import', file, ...other);

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('Line 2') });
    expect((await home.memory('list', ...other)).stdout).toBe('Nothing of sense is remembered.\n');
  });
});

test('state tells what the index knows', async () => {
  const before = await home.memory('state');
  await home.memory('store', 'counted', 'blue');

  const run = await home.memory('state');

  const count = Number(columns(before)[0]?.[1]);
  expect(columns(run)).toEqual([
    ['memories', String(count + 1)],
    ['index', expect.stringMatching(/ [KM]?i?B$/)],
    ['embedder', 'none; memories are found by their words'],
  ]);
});

describe('what cannot be is told in one sentence, with what to do', () => {
  type Refusal = readonly [string, readonly string[], RegExp];

  function expectRefusal(run: Run, code: number, sentence: RegExp): void {
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(sentence) });
    expect(run.stderr).toMatch(/^error: .*\n {2}try: .*\n$/);
    expect(run.stderr).not.toMatch(stackLine);
    expect(run.stderr).not.toMatch(/[\u001b\u202e]/);
  }

  test.each<Refusal>([
    ['an empty part of a key', ['store', 'a//b', 'x'], /no key of a memory/],
    ['an escape in a key', ['get', 'a\u001b[2Jb'], /no key of a memory/],
    ['a change of direction in a key', ['forget', 'a\u202eb'], /no key of a memory/],
    ['a key that is too long', ['store', 'x'.repeat(201), 'x'], /200 characters/],
    ['a scope that there is not', ['get', 'a', '--scope', 'long'], /context, working, long-term/],
    ['whose, of what is shared', ['list', '--scope', 'shared', '--of', 'jean'], /nobody’s own/],
    ['a time that is none', ['store', 'a', 'x', '--valid-from', 'soon'], /no moment/],
    ['a time to live that is none', ['store', 'a', 'x', '--ttl', 'long'], /--ttl wants a time/],
    ['a value that is no JSON', ['store', 'a', '{x', '--json-value'], /no JSON: "\{x"/],
    ['no value at all', ['store', 'a'], /nothing to remember/],
    ['a limit of none', ['search', 'a', '--limit', '0'], /--limit wants/],
    ['sharing without saying with whom', ['share', 'a'], /--with/],
    ['a purge of nothing said', ['purge', '--yes'], /needs a key, or --all/],
    ['a purge of a key and of all', ['purge', 'a', '--all', '--yes'], /needs a key, or --all/],
  ])('%s, before anything is reached', async (_what, words, sentence) => {
    await using folder = temporaryFolder();

    const run = await aosHere(['--home', folder.at('home'), 'memory', ...words]);

    expectRefusal(run, 2, sentence);
  });

  test.each<readonly [...Refusal, number]>([
    [
      'an end before the beginning',
      ['store', 'a', 'x', '--valid-to', '2d'],
      /end before it began/,
      2,
    ],
    ['a tag with an escape', ['store', 'a', 'x', '--tag', '\u001b[2J'], /./, 2],
    ['an agent that there is not', ['get', 'a', '--as', 'nobody'], /no agent "nobody"/, 4],
    ['getting what is of nobody', ['get', 'a', '--of', 'nobody'], /no agent "nobody"/, 4],
    ['listing what is of nobody', ['list', '--of', 'nobody'], /no agent "nobody"/, 4],
    ['searching in what is of nobody', ['search', 'a', '--of', 'nobody'], /no agent "nobody"/, 4],
    ['sharing with nobody', ['share', 'a', '--with', 'nobody'], /no agent "nobody"/, 4],
    ['forgetting what is not there', ['forget', 'none'], /no memory under that key/, 4],
    ['importing a file that is not there', ['import', '/nonexistent/x'], /nonexistent/, 4],
    ['importing into nobody', ['import', '-', '--of', 'nobody'], /no agent "nobody"/, 4],
    ['purging what is not there', ['purge', 'none', '--yes'], /no memory "none" in working/, 4],
    [
      'purging all of nothing',
      ['purge', '--all', '--of', 'sam', '--yes'],
      /Nothing is remembered in working/,
      4,
    ],
  ])('%s', async (_what, words, sentence, code) => {
    const run = await until(async () => {
      const refused = await home.memory(...words);
      // What is still on its way when an import is refused is hung up on, and then the refusal
      // may be lost; it changes nothing, so it can be asked for again.
      expect(refused.stderr).not.toContain('hung up before it had answered');
      return refused;
    });

    expectRefusal(run, code, sentence);
  });
});

test('an agent’s program acts as that agent, and may not purge', async () => {
  const { handle } = await home.daemon.client.renewHandle('jean', { expires_ms: 3_600_000 });
  const env = { AOS_SOCKET: `${home.home}/run/agents/jean.sock`, AOS_HANDLE: handle };
  const memory = (...words: readonly string[]) => aosHere(['memory', ...words], { env });

  const stored = await runAos(['memory', 'store', 'by-program', 'of jean'], { env });
  const purged = await memory('purge', 'by-program', '--yes');
  const exported = await memory('export');

  expect(stored.code).toBe(0);
  expect((await home.memory('get', 'by-program', '--of', 'jean')).stdout).toBe('of jean');
  expect([purged.code, exported.code]).toEqual([3, 3]);
});

// The last one: it stops the daemon of the others.
test('without a daemon the same commands open the home themselves', async () => {
  await home.daemon.stop();

  const stored = await home.program.memory('store', 'alone', 'It is ochre.');
  const found = await home.program.memory('search', 'ochre');
  const purged = await home.program.memory('purge', 'alone', '--yes');

  expect([stored.code, found.code, purged.code]).toEqual([0, 0, 0]);
  expect(found.stdout).toContain('It is ochre.');
});
