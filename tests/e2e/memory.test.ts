/** `aos memory` as its users have it: the real command, a real daemon. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesWith, newCanary } from '../support/canary.ts';
import { memoryHome } from '../support/memory-home.ts';
import { type Run, runAos, stackLine } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const longTerm = ['--scope', 'long-term'] as const;

/** The columns of each line. */
function columns({ stdout }: Run): string[][] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('store and get', () => {
  test('give back word for word what was given, and nothing else', async () => {
    await using home = await memoryHome();
    const value = 'Grüße,\n\t"two" – 😀 \u001b[31mred';

    const stored = await home.memory('store', 'house/door', value, ...longTerm);
    const got = await home.memory('get', 'house/door', ...longTerm);

    expect(stored).toMatchObject({
      ...{ code: 0, stderr: '', stdout: 'Stored "house/door" in long-term, version 1.\n' },
    });
    expect(got).toMatchObject({ code: 0, stderr: '', stdout: value });
  });

  test('say that the same stands there already', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'plan', 'x');

    const again = await home.memory('store', 'plan', 'x');

    expect(again.stdout).toBe('"plan" in working says that already (version 1).\n');
  });

  test('take what is piped in, and JSON', async () => {
    await using home = await memoryHome();

    const piped = await home.piped(`printf 'one\\ntwo\\n'`, 'store', 'notes', '-');
    const json = await home.memory('store', 'limits', '{"mails": [5, null]}', '--json-value');

    expect([piped.code, json.code]).toEqual([0, 0]);
    expect((await home.memory('get', 'notes')).stdout).toBe('one\ntwo\n');
    expect(JSON.parse((await home.memory('get', 'limits')).stdout)).toEqual({ mails: [5, null] });
  });

  test('with --json tell all that is known of it', async () => {
    await using home = await memoryHome();
    await home.memory(
      'store',
      'plan',
      'x',
      '--tag',
      'b',
      '--tag',
      'a',
      '--thread',
      'talk',
      '--pin',
    );

    const { data } = await home.json('get', 'plan');

    expect(data).toMatchObject({
      ...{ found: true, scope: 'working', key: 'plan', of: 'owner', version: 1, value: 'x' },
      ...{ tags: ['a', 'b'], thread: 'talk', pinned: true, author: 'owner' },
    });
  });

  test('refuse JSON that is nested too deeply to be sent', async () => {
    await using home = await memoryHome();
    const deep = `node -e 'process.stdout.write("[".repeat(1e5) + "]".repeat(1e5))'`;

    const run = await home.piped(deep, 'store', 'deep', '-', '--json-value');

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('nested too deeply') });
  });

  test('--as-of tells what was so then', async () => {
    await using home = await memoryHome();
    const from = (date: string) => ['--valid-from', date];
    await home.memory('store', 'door', 'blue', ...from('2024-01-01'));
    await home.memory('store', 'door', 'green', ...from('2025-06-01T12:00:00Z'));

    const then = await home.memory('get', 'door', '--as-of', '2025-01-01');
    const before = await home.memory('get', 'door', '--as-of', '2023-01-01');

    expect(then.stdout).toBe('blue');
    expect(before.code).toBe(4);
    expect((await home.memory('get', 'door')).stdout).toBe('green');
  });

  test('--of is whose it is, and nobody else’s is changed', async () => {
    await using home = await memoryHome();

    await home.memory('store', 'plan', 'of jean', '--of', 'jean');

    expect((await home.memory('get', 'plan', '--as', 'jean')).stdout).toBe('of jean');
    expect((await home.memory('get', 'plan')).code).toBe(4);
  });

  test('--ttl is the time after which nobody is told', async () => {
    await using home = await memoryHome();

    await home.memory('store', 'plan', 'x', '--ttl', '30d');

    const { data } = await home.json('get', 'plan');
    const at = (name: string) => Date.parse(String(data?.[name]));
    expect(at('expires_at') - at('created_at')).toBe(30 * 86_400_000);
  });

  test('a value of a MiB comes back whole', async () => {
    await using home = await memoryHome();
    const value = 'abcdefgh'.repeat(1024 * 128 - 200);
    writeFileSync(home.folder.at('large.txt'), value);

    const stored = await home.piped(`cat '${home.folder.at('large.txt')}'`, 'store', 'large');
    const got = await home.memory('get', 'large');

    expect(stored.code).toBe(0);
    expect(got.stdout === value).toBe(true);
  });

  test('a value that is larger is refused, with what to do', async () => {
    await using home = await memoryHome();

    const run = await home.piped('head -c 1048577 /dev/zero | tr "\\0" x', 'store', 'large');

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('store it as a file') });
  });
});

test('at a terminal a value cannot move the cursor', async () => {
  await using home = await memoryHome();
  await home.memory('store', 'odd', 'a\u001b[2Jb\u202ec\r\nd');

  const run = await home.typed([], 'get', 'odd');

  expect(run.stdout).toContain('a\\u001b[2Jb\\u202ec\\u000d');
  expect(run.stdout).not.toMatch(/\u001b\[2J|\u202e/);
});

describe('search', () => {
  test('shows score, place, key, day and what fits, the likeliest first', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'house/door', 'The door is painted green.', ...longTerm);
    await home.memory('store', 'house/roof', 'The roof is painted red.', ...longTerm);

    const run = await home.memory('search', 'what', 'colour', 'is', 'the', 'green', 'door');

    const [first] = columns(run);
    expect(first).toEqual([
      ...[expect.stringMatching(/^[01]\.\d\d$/), 'long-term', 'house/door'],
      ...[expect.stringMatching(/^\d{4}-\d\d-\d\d$/), expect.stringContaining('green')],
    ]);
  });

  test('--explain says what each score is made of', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'door', 'It is green.');

    const run = await home.memory('search', 'green', '--explain');

    expect(run.stdout).toMatch(/\n {6}words \d\.\d\d, recency \d\.\d\d\n$/);
  });

  test('says of what it finds in others’ memories whose it is', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'door', 'It is green.', '--of', 'jean', ...longTerm);

    const owners = await home.memory('search', 'green', '--of', 'jean');
    const hers = await home.memory('search', 'green', '--as', 'jean');

    expect(columns(owners)[0]?.[1]).toBe('long-term of jean');
    expect(columns(hers)[0]?.[1]).toBe('long-term');
  });

  test('that finds nothing says so, and what was searched', async () => {
    await using home = await memoryHome();

    const run = await home.memory('search', 'zebra', '--of', 'jean', '--prefix', 'zoo/');

    expect(run).toMatchObject({
      code: 0,
      stdout: 'Nothing was found for "zebra" in all scopes of jean, below "zoo".\n',
    });
  });

  test('narrows by prefix, tag, time and number', async () => {
    await using home = await memoryHome();
    const old = ['--valid-from', '2024-01-01'];
    await home.memory('store', 'a/one', 'green apple', '--tag', 'fruit');
    await home.memory('store', 'a/two', 'green pear', '--tag', 'fruit', ...old);
    await home.memory('store', 'b/three', 'green door');
    const keys = async (...words: string[]) => {
      const { data } = await home.json('search', 'green', ...words);
      // As parsed from what the command printed.
      return (data?.['hits'] as undefined | { key: string }[])?.map(({ key }) => key).sort();
    };

    expect(await keys('--prefix', 'a')).toEqual(['a/one', 'a/two']);
    expect(await keys('--tag', 'fruit', '--after', '7d')).toEqual(['a/one']);
    expect(await keys('--before', '2025-01-01')).toEqual(['a/two']);
    expect(await keys('--limit', '1')).toHaveLength(1);
  });

  test('--by thread shows the best of each conversation', async () => {
    await using home = await memoryHome();
    for (const [key, thread] of Object.entries({ a: 'one', b: 'one', c: 'two' })) {
      await home.memory('store', key, `Talk ${key} of the green door`, '--thread', thread);
    }

    const { data } = await home.json('search', 'green', 'door', '--by', 'thread');

    expect(data?.['hits']).toHaveLength(2);
  });

  test('takes a query of operators for words, and breaks at none', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'a', 'something else');
    const queries = ['AND OR NOT', '"', '* * *', 'NEAR(a b, 2)', 'key:x ^y -z {a b}', "'; drop--"];

    for (const query of queries) {
      const run = await home.memory('search', '--', query);

      expect([0, 2], query).toContain(run.code);
      expect(run.stderr).not.toMatch(stackLine);
    }
  });

  test('shows no more of hostile keys and values than can be read', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'door', 'green\u001b[2J\u202e\r\nsecond line');

    const run = await home.memory('search', 'green');

    expect(run.stdout).toContain('\\u001b[2J');
    expect(run.stdout).not.toMatch(/[\u001b\u202e\r]/);
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('list and history', () => {
  test('show keys below a prefix, page by page', async () => {
    await using home = await memoryHome();
    for (const key of ['a', 'b/1', 'b/2', 'b/3']) await home.memory('store', key, `of ${key}`);

    const all = await home.memory('list', 'b/');
    const some = await home.memory('list', 'b', '--limit', '2');
    const rest = await home.memory('list', 'b', '--after', 'b/2');

    expect(columns(all).map(([key]) => key)).toEqual(['b/1', 'b/2', 'b/3']);
    expect(some.stderr).toBe('There are more: --limit N, or --after "b/2".\n');
    expect(columns(rest).map(([key]) => key)).toEqual(['b/3']);
  });

  test('say that there is nothing', async () => {
    await using home = await memoryHome();

    const list = await home.memory('list', '--of', 'jean');
    const history = await home.memory('history', 'none');

    expect(list.stdout).toBe('Nothing is remembered in working of jean.\n');
    expect(history).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There is no memory "none" in working'),
    });
  });

  test('keep every version, and of a forgotten one that it was', async () => {
    await using home = await memoryHome();
    for (const value of ['blue', 'green']) await home.memory('store', 'door', value);

    const versions = await home.memory('history', 'door');
    const forgotten = await home.memory('forget', 'door');
    const after = await home.memory('history', 'door');

    expect(columns(versions).map((line) => [line[0], line.at(-1)])).toEqual([
      ...[
        ['v2', 'green'],
        ['v1', 'blue'],
      ],
    ]);
    expect(forgotten.stdout).toContain('"door" in working is forgotten.');
    expect(after.stdout).toContain('(forgotten ');
    expect(after.stdout).not.toContain('green');
    expect((await home.memory('get', 'door')).code).toBe(4);
  });
});

test('pin marks a memory, and --off takes the mark away', async () => {
  await using home = await memoryHome();
  await home.memory('store', 'rules', 'Never on Sundays.');

  const pinned = await home.memory('pin', 'rules');
  const listed = await home.memory('list');
  const off = await home.memory('pin', 'rules', '--off');

  expect(pinned.stdout).toBe('"rules" in working is pinned.\n');
  expect(listed.stdout).toContain('(pinned) Never on Sundays.');
  expect(off.stdout).toBe('"rules" in working is not pinned any more.\n');
  expect((await home.memory('pin', 'none')).code).toBe(4);
});

describe('purge', () => {
  const words = ['purge', 'house/', ...longTerm] as const;

  async function purgeHome() {
    const home = await memoryHome();
    await home.memory('store', 'house', 'one', ...longTerm);
    await home.memory('store', 'house/door', 'canary-81d2', ...longTerm);
    await home.memory('store', 'houseboat', 'stays', ...longTerm);
    return home;
  }

  test('asks first, in words that say what goes and what stays', async () => {
    await using home = await purgeHome();

    const no = await home.typed(['n'], ...words);
    const yes = await home.typed(['y'], ...words);

    expect(no.code).toBe(5);
    expect(no.stdout).toContain(
      'Erase 2 versions of "house" and all that lies below it in long-term, and the journals of 2 calls that saw them, for good?',
    );
    expect(no.stdout).toMatch(/Backups that were made before still hold it.*mail and files/);
    expect(yes.stdout).toContain('Erased 2 versions of "house"');
    expect((await home.memory('list', ...longTerm)).stdout).toMatch(/^houseboat /);
  });

  test('needs --yes where nobody can be asked, and for a program always', async () => {
    await using home = await purgeHome();

    const run = await home.memory(...words);
    const { error } = await home.json(...words);
    const typed = await home.typed(['y'], ...words, '--json');

    expect(run).toMatchObject({ code: 5, stderr: expect.stringContaining('--yes') });
    expect(error).toMatchObject({ code: 'memory.kept', details: { versions: 2, calls: 2 } });
    expect(typed.stdout).not.toContain('[y/N]');
    expect((await home.memory('get', 'house/door', ...longTerm)).code).toBe(0);
  });

  test('of a dry run erases nothing', async () => {
    await using home = await purgeHome();

    const run = await home.memory(...words, '--dry-run');

    expect(run.stdout).toMatch(/^Would erase 2 versions of "house"/);
    expect((await home.memory('get', 'house/door', ...longTerm)).code).toBe(0);
  });

  test('leaves nothing of it in any file of the home, nor of what has seen it', async () => {
    await using home = await purgeHome();
    const canary = newCanary();
    await home.memory('store', 'house/secret', canary, ...longTerm, '--of', 'jean');
    await home.memory('store', 'house/secret', `${canary} again`, ...longTerm, '--of', 'jean');
    await home.memory('search', 'cnry', '--as', 'jean');
    await home.memory('export', '--of', 'jean');
    const before = filesWith(canary, home.home);

    const run = await home.memory(...words, '--of', 'jean', '--yes');

    expect(before).not.toEqual([]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Erased 2 versions/) });
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it where storing it failed', async () => {
    await using home = await memoryHome();
    const canary = newCanary();
    const failed = await home.memory(
      'store',
      'house',
      canary,
      ...longTerm,
      '--valid-to',
      '2020-01-01',
    );

    const run = await home.memory(...words, '--yes');

    expect([failed.code, run.code]).toEqual([2, 0]);
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it in what a human was asked and told', async () => {
    await using home = await memoryHome();
    const canary = newCanary();
    await home.aos('cap', 'grant', 'sam', 'memory:long-term/**:read,write', '--ask');
    const approved = async (...asked: readonly string[]) => {
      const { stderr } = await home.memory(...asked, ...longTerm, '--as', 'sam');
      const id = /aos approvals approve ([0-9a-f]+)/.exec(stderr)?.[1] ?? '';
      expect((await home.aos('approvals', 'approve', id, '--yes')).code).toBe(0);
    };
    await approved('store', 'house', canary);
    await approved('get', 'house');
    await expect
      .poll(() => filesWith(canary, `${home.home}/agents/sam/inbox`), { timeout: 5000 })
      .not.toEqual([]);

    const run = await home.memory(...words, '--of', 'sam', '--yes');

    expect(run.code).toBe(0);
    expect(filesWith(canary, home.home)).toEqual([]);
  });

  test('leaves nothing of it in the messages by which a state was saved and loaded', async () => {
    await using home = await memoryHome();
    const canary = newCanary();
    const outbox = `${home.home}/agents/jean/outbox`;
    const asking = (name: string, body: string) =>
      writeFileSync(`${outbox}/${name}.msg`, `TO: __orchestrator__\nKIND: continuity\n\n${body}`);
    asking('save', `ACTION: save\nKEY: state\n\n${canary}`);
    await expect
      .poll(() => filesWith(canary, `${home.home}/archive`), { timeout: 5000 })
      .not.toEqual([]);
    asking('load', 'ACTION: load\nKEY: state\n');
    await expect
      .poll(() => filesWith(canary, `${home.home}/agents/jean/inbox`), { timeout: 5000 })
      .not.toEqual([]);

    const run = await home.memory('purge', 'state', '--of', 'jean', '--yes');

    expect(run.code).toBe(0);
    expect(filesWith(canary, home.home)).toEqual([]);
  });
});

describe('share', () => {
  test('lets an agent read and search until it is taken back', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'house/door', 'It is green.', ...longTerm);
    const read = ['get', 'house/door', ...longTerm, '--of', 'owner', '--as', 'sam'] as const;
    const search = ['search', 'green', '--as', 'sam'] as const;

    const before = await home.memory(...read);
    const shared = await home.memory('share', 'house', '--with', 'sam', ...longTerm);
    const [got, found] = [await home.memory(...read), await home.memory(...search)];
    const listed = await home.memory('shares');
    const taken = await home.memory('unshare', 'house', '--with', 'sam', ...longTerm);
    const after = await home.memory(...read);

    expect([before.code, got.stdout, after.code]).toEqual([3, 'It is green.', 3]);
    expect(shared.stdout).toMatch(/^sam may now read and search "house" in long-term \(grant /);
    expect(columns(found)[0]?.[1]).toBe('long-term of owner');
    expect(listed.stdout).toBe(
      'with sam  by owner  memory:of/owner/long-term/house/**:read,search\n',
    );
    expect(taken.stdout).toContain('is not shared with sam any more (1 grant revoked)');
    expect((await home.memory('unshare', 'house', '--with', 'sam', ...longTerm)).code).toBe(4);
  });

  test('leaves a line in the audit for every read of another', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'door', 'It is green.', '--of', 'jean');
    await home.memory('share', 'door', '--with', 'sam', '--as', 'jean', '--expires', '7d');

    await home.memory('get', 'door', '--of', 'jean', '--as', 'sam');

    const audit = await home.aos('audit', '--kind', 'memory.read');
    expect(audit.stdout).toMatch(
      /agent:sam {2}memory\.read {2}agent:jean .*memory:of\/jean\/working\/door:read/,
    );
  });

  test('of a space is for all who were granted it', async () => {
    await using home = await memoryHome();
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
    await using home = await memoryHome();
    for (const value of ['blue', 'green\u001b[31m']) await home.memory('store', 'door', value);
    const file = home.folder.at('memories.jsonl');

    const exported = await home.memory('export');
    writeFileSync(file, exported.stdout);
    const first = await home.memory('import', file, '--of', 'jean');
    const second = await home.piped(`cat '${file}'`, 'import', '--of', 'jean');

    expect(
      exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).value),
    ).toEqual([...['blue', 'green\u001b[31m']]);
    expect(first.stdout).toBe('Imported 2 versions.\n');
    expect(second.stdout).toBe('Imported 0 versions. 2 were there already.\n');
    expect((await home.memory('get', 'door', '--of', 'jean')).stdout).toBe('green\u001b[31m');
  });

  test('of a file with a wrong line imports nothing', async () => {
    await using home = await memoryHome();
    await home.memory('store', 'door', 'blue');
    const file = home.folder.at('memories.jsonl');
    writeFileSync(file, `${(await home.memory('export')).stdout}nonsense\n`);

    const run = await home.memory('import', file, '--of', 'jean');

    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('Line 2') });
    expect((await home.memory('list', '--of', 'jean')).stdout).toContain('Nothing is remembered');
  });
});

test('state tells what the index knows', async () => {
  await using home = await memoryHome();
  await home.memory('store', 'door', 'blue');

  const run = await home.memory('state');

  expect(columns(run)).toEqual([
    ['memories', '1'],
    ['index', expect.stringMatching(/ (?:B|KiB)$/)],
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

    const run = await runAos(['--home', folder.at('home'), 'memory', ...words]);

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
    ['purging all of nothing', ['purge', '--all', '--yes'], /Nothing is remembered in working/, 4],
  ])('%s', async (_what, words, sentence, code) => {
    await using home = await memoryHome();

    const run = await home.memory(...words);

    expectRefusal(run, code, sentence);
  });
});

test('without a daemon the same commands open the home themselves', async () => {
  await using folder = temporaryFolder();
  const memory = (...words: readonly string[]) =>
    runAos(['--home', folder.at('home'), 'memory', ...words]);
  await runAos(['--home', folder.at('home'), 'register', 'jean']);

  const stored = await memory('store', 'door', 'It is green.');
  const found = await memory('search', 'green');
  const purged = await memory('purge', 'door', '--yes');

  expect([stored.code, found.code, purged.code]).toEqual([0, 0, 0]);
  expect(found.stdout).toContain('It is green.');
});

test('an agent’s program acts as that agent, and may not purge', async () => {
  await using home = await memoryHome();
  const { handle } = await home.daemon.client.renewHandle('jean', { expires_ms: 3_600_000 });
  const env = { AOS_SOCKET: `${home.home}/run/agents/jean.sock`, AOS_HANDLE: handle };
  const memory = (...words: readonly string[]) => runAos(['memory', ...words], { env });

  const stored = await memory('store', 'plan', 'of jean');
  const purged = await memory('purge', 'plan', '--yes');
  const exported = await memory('export');

  expect(stored.code).toBe(0);
  expect((await home.memory('get', 'plan', '--of', 'jean')).stdout).toBe('of jean');
  expect([purged.code, exported.code]).toEqual([3, 3]);
});
