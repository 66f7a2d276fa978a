import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commandHome } from '../../../tests/support/command-home.ts';
import { openOnce } from '../../../tests/support/open-once.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runProgram } from '../core/program.ts';

const canary = 'c4nary-of-a-secret';

/** For those that change nothing. */
const looked = openOnce(() => commandHome());

describe('aos secret', () => {
  test('set takes the value from a pipe or a file, and nobody shows it', async () => {
    await using home = await commandHome();
    writeFileSync(home.home.at('value'), `${canary}-2\n`);
    const forHost = ['--header', 'Authorization', '--prefix', 'Bearer '];

    const runs = [
      await home.aos(['secret', 'set', 'ONE', '--host', 'api.example.com', ...forHost], {
        piped: `${canary}\n`,
      }),
      await home.aos(['secret', 'set', 'TWO', '--host', '[::1]:8443', '--header', 'X-Key'], {
        piped: `${canary}-3`,
      }),
      await home.aos(['secret', 'set', 'ONE', '--file', home.home.at('value')]),
      await home.aos(['secret', 'ls']),
      await home.aos(['secret', 'ls', '--json']),
      await home.aos(['audit', '--json', '--limit', 'all']),
    ];

    const [first, second, third, list] = runs.map(({ stdout }) => stdout);
    expect([first, second, third]).toEqual([
      'Secret ONE is kept.\n',
      'Secret TWO is kept.\n',
      'Secret ONE is replaced.\n',
    ]);
    expect(list).toMatch(/^ONE {2}for no host +set \S+Z\nTWO {2}for \[::1\]:8443 in x-key {2}set /);
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(canary);
  });

  test('ls says for which host and header one is', async () => {
    await using home = await commandHome();
    const words = ['--host', 'api.example.com:8443', '--header', 'Authorization'];
    await home.aos(['secret', 'set', 'ONE', ...words, '--prefix', 'Bearer '], { piped: canary });

    const run = await home.aos(['secret', 'ls']);

    expect(run.stdout).toContain(
      'ONE  for api.example.com:8443 in authorization, after "Bearer "  set ',
    );
  });

  test.each([
    ['as a word', ['ONE', canary], 'ps'],
    ['as an option', ['ONE', `--value=${canary}`], 'has no option "--value"'],
    ['as the value of an option', ['ONE', '--value', canary], 'has no option "--value"'],
    ['behind two dashes', ['ONE', '--', canary], 'ps'],
  ])('set takes no value %s, and does not tell it back', async (_how, words, message) => {
    const home = looked();

    const run = await home.aos(['secret', 'set', ...words], { piped: '' });
    const json = await home.aos(['--json', 'secret', 'set', ...words], { piped: '' });

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr + json.stdout).not.toContain(canary);
    expect(await home.client.secrets()).toEqual({ items: [] });
  });

  test.each([
    [['ONE', '--hsot', 'x'], canary, 2, 'Did you mean "--host"?'],
    [['ONE'], undefined, 2, 'is piped in'],
    [['ONE'], 'short', 2, 'at least 8 characters'],
    [['ONE'], 'x'.repeat(20_000), 2, 'is larger than'],
    [['ONE'], new Uint8Array([0xff, 0xfe]), 2, 'no text in UTF-8'],
    [['ONE', '--host', 'https://a.example'], canary, 2, '--host wants'],
    [['ONE', '--host', '::1'], canary, 2, '[::1]:8443'],
    [['ONE', '--host', 'a.example:99999', '--header', 'X'], canary, 2, '99999'],
    [['ONE', '--host', 'a.example'], canary, 2, 'no header'],
    [['1NE'], canary, 2, 'No secret can be called'],
    [['ONE', '--file', '/nope/none'], undefined, 4, '/nope/none'],
  ])('set %j is refused in words', async (words, piped, code, message) => {
    const home = looked();

    const run = await home.aos(['secret', 'set', ...words], piped === undefined ? {} : { piped });

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain(canary);
  });

  test('rm forgets one, and knows of no other', async () => {
    await using home = await commandHome();
    await home.aos(['secret', 'set', 'ONE'], { piped: canary });

    const first = await home.aos(['secret', 'rm', 'ONE']);
    const again = await home.aos(['secret', 'rm', 'ONE']);
    const none = await home.aos(['secret', 'rm', '..']);

    expect(first).toMatchObject({ code: 0, stdout: 'Secret ONE is forgotten.\n' });
    for (const run of [again, none]) expect(run).toMatchObject({ code: 4, stdout: '' });
    expect((await home.aos(['secret', 'ls'])).stdout).toBe('There are no secrets.\n');
  });

  test.each([
    [[], 2],
    [['ONE', '--all'], 2],
  ])('rm %j is refused in words', async (words, code) => {
    const home = looked();

    const run = await home.aos(['secret', 'rm', ...words]);

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain('needs the name of a secret, or --all and no name');
  });
});

describe('aos secret rm --all', () => {
  test('forgets all of them through the daemon, and leaves its key alone', async () => {
    await using home = await commandHome();
    for (const name of ['ONE', 'TWO']) await home.client.setSecret({ name, value: canary });

    const first = await home.data(['secret', 'rm', '--all', '--yes'], { piped: '' });
    const again = await home.aos(['secret', 'rm', '--all'], { piped: '' });

    expect(first).toEqual({ removed: ['ONE', 'TWO'], key_moved_to: null });
    expect(again).toMatchObject({ code: 0, stdout: 'There are no secrets.\n' });
    expect(readdirSync(home.home.at('keys'))).toContain('secrets.key');
  });

  test.each([
    ['y\n', 0, '2 secrets are forgotten: ONE, TWO.\n', 0],
    ['n\n', 5, '', 2],
  ])('asks once at a terminal, and %j decides', async (typed, code, stdout, left) => {
    await using home = await commandHome();
    for (const name of ['ONE', 'TWO']) await home.client.setSecret({ name, value: canary });

    const run = await home.aos(['secret', 'rm', '--all'], { typed });

    expect(run).toMatchObject({ code, stdout });
    expect(run.stderr).toContain('Forget 2 secrets (ONE, TWO)? Nobody can bring them back. [y/N] ');
    expect((await home.client.secrets()).items).toHaveLength(left);
  });

  test('without a terminal takes --yes, and says so', async () => {
    await using home = await commandHome();
    await home.client.setSecret({ name: 'ONE', value: canary });

    const run = await home.aos(['secret', 'rm', '--all'], { piped: 'y\n' });

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain('aos secret rm --all --yes');
    expect((await home.client.secrets()).items).toHaveLength(1);
  });
});

/** Commands on a home on which no daemon runs. */
function homeWithoutDaemon() {
  const folder = temporaryFolder();
  const home = folder.at('home');
  const aos = async (argv: readonly string[], given: { readonly piped?: string } = {}) => {
    const { piped = '' } = given;
    const out: string[] = [];
    const err: string[] = [];
    const terminal = {
      out: (text: string) => void out.push(text),
      err: (text: string) => void err.push(text),
      input: { isTerminal: false, read: () => inputOf(piped) },
      ...{ colorOut: false, colorErr: false, columns: 80 },
    };
    const { signal } = new AbortController();
    const code = await runProgram({ argv, environment: { AOS_HOME: home }, terminal, signal });
    return { code, stdout: out.join(''), stderr: err.join('') };
  };
  return { ...folder, aos, keyPath: folder.at('home', 'keys', 'secrets.key') };
}

async function* inputOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('a lost key', () => {
  test.each([
    ['gone', (path: string) => rmSync(path), 'is not there', ''],
    [
      'damaged',
      (path: string) => writeFileSync(path, 'garbage'),
      'is no key for secrets',
      ' The key file is now ',
    ],
    [
      'of somebody else',
      (path: string) => writeFileSync(path, `${'5a'.repeat(32)}\n`),
      'does not open the secret "ONE"',
      ' The key file is now ',
    ],
  ])('that is %s can be given up, with the secrets', async (_how, lose, why, kept) => {
    await using home = homeWithoutDaemon();
    await home.aos(['register', 'jean']);
    for (const name of ['ONE', 'TWO']) await home.aos(['secret', 'set', name], { piped: canary });
    lose(home.keyPath);

    const before = [
      await home.aos(['up']),
      await home.aos(['secret', 'ls']),
      await home.aos(['secret', 'rm', 'ONE']),
      await home.aos(['audit']),
    ];
    const unasked = await home.aos(['secret', 'rm', '--all']);
    const run = await home.aos(['secret', 'rm', '--all', '--yes']);
    const after = [
      await home.aos(['secret', 'ls']),
      await home.aos(['secret', 'set', 'ONE'], { piped: canary }),
      await home.aos(['audit', '--kind', 'secret.removed']),
      await home.aos(['audit', 'verify']),
    ];

    for (const { code, stderr } of before) {
      expect(code).toBe(7);
      expect(stderr).toContain(why);
      expect(stderr).toContain('or give the secrets up: aos secret rm --all');
    }
    expect(unasked).toMatchObject({ code: 5, stdout: '' });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(`2 secrets are forgotten: ONE, TWO.${kept}`);
    expect(after.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const [list, set, removals] = after.map(({ stdout }) => stdout);
    expect([list, set]).toEqual(['There are no secrets.\n', 'Secret ONE is kept.\n']);
    expect(removals).toMatch(/secret:ONE[\s\S]*secret:TWO|secret:TWO[\s\S]*secret:ONE/);
    const asides = readdirSync(home.at('home', 'keys')).filter((name) => name.includes('given-up'));
    expect(asides).toHaveLength(kept === '' ? 0 : 1);
  });
});
