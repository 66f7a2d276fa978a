import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commandHome } from '../../tests/support/command-home.ts';

const canary = 'c4nary-of-a-secret';

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
    await using home = await commandHome();

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
    await using home = await commandHome();

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
});
