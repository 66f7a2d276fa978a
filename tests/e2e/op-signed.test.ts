/** `aos op` with a key: every request is signed, as an outsider does it. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedHome, scriptedHome, type Wallet } from '../support/scripted-home.ts';

interface Operation {
  readonly id: string;
}

let home: ScriptedHome;
let alice: Wallet;
/** Hers, which has succeeded. */
let id: string;

beforeAll(async () => {
  home = await scriptedHome();
  alice = home.wallet('alice');
  await home.aos('cap', 'grant', alice.address, 'operation:default:start');
  id = (await home.data<Operation>('op', 'submit', 'Write the report', '--key', alice.path)).id;
  await home.aos('op', 'logs', id, '-f', '--key', alice.path);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

describe('with --key', () => {
  test('somebody to whom something was granted submits, waits, and opens what came of it', async () => {
    const as = ['--key', alice.path, '--url', home.daemon.url];

    const run = await home.program('op', 'submit', 'Write the report', '--wait', ...as);
    const list = await home.aos('op', 'ls', ...as);
    const one = await home.aos('op', 'get', id, ...as);
    const download = await home.program('op', 'download', id, '--all', '--dest', 'hers', ...as);

    expect(run).toMatchObject({ code: 0, stdout: 'The report is written.\n' });
    expect(list.stdout).toContain(`${id}  succeeded`);
    expect(one.stdout).toMatch(/^ {2}report\.md .* no key of the home opens it$/m);
    expect(download).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(home.folder.at('work', 'hers', 'data', 'rows.csv'), 'utf8')).toBe(
      'a,b\n1,2\n',
    );
  });

  test('somebody else is told that there is nothing, or that nothing was granted', async () => {
    const bob = home.wallet('bob');
    await home.aos('cap', 'grant', bob.address, 'operation:other:start');
    const stranger = home.wallet('stranger');

    const list = await home.aos('op', 'ls', '--key', bob.path);
    const get = await home.aos('op', 'get', id, '--key', bob.path);
    const download = await home.aos('op', 'download', id, 'report.md', '--key', bob.path);
    const submit = await home.aos('op', 'submit', 'Write the report', '--key', bob.path);
    const nobody = await home.aos('op', 'submit', 'Write the report', '--key', stranger.path);

    expect(list).toMatchObject({ code: 0, stdout: 'There are no operations.\n' });
    expect(get.code).toBe(4);
    expect(get.stderr).toContain(`There is no operation "${id}"`);
    expect(download.code).toBe(4);
    expect(submit.code).toBe(3);
    expect(nobody.code).toBe(3);
    expect(nobody.stderr).toContain(stranger.address);
  });

  test('one deletes what is one’s own', async () => {
    const as = ['--key', alice.path];
    const { id: own } = await home.data<Operation>('op', 'submit', 'Write the report', ...as);
    await home.aos('op', 'logs', own, '-f', ...as);

    const deleted = await home.aos('op', 'delete', own, 'report.md', ...as);
    const gone = await home.aos('op', 'download', own, 'report.md', ...as);

    expect(deleted.code).toBe(0);
    expect(gone.code).toBe(4);
  });

  test('a key file of ours will do as well', async () => {
    await home.aos('register', 'jean');

    const path = home.folder.at('home', 'keys', 'agent-jean.key');
    const list = await home.aos('op', 'ls', '--key', path);

    expect(list).toMatchObject({ code: 0, stdout: 'There are no operations.\n' });
  });

  test.each([
    ['open', `0x${'1'.repeat(64)}`, 0o644, 'is open to others'],
    ['short', '0x1234', 0o600, 'holds no secret key, as 0x and 64 hex digits'],
    ['zero', `0x${'0'.repeat(64)}`, 0o600, 'holds no secret key, as 0x and 64 hex digits'],
    ['json', '{"secret_key":1}', 0o600, 'holds no secret key, as 0x and 64 hex digits'],
  ])(
    'a key file that is %s is refused, without a word of what is in it',
    async (name, text, mode, said) => {
      const path = home.folder.at(`${name}.key`);
      writeFileSync(path, text);
      chmodSync(path, mode);

      const run = await home.aos('op', 'ls', '--key', path);

      expect(run.stderr).toContain(said);
      expect(run.stderr).not.toContain(text.slice(2));
      expect(run.code).toBe(7);
    },
  );

  test('a key file that is not there is told', async () => {
    const run = await home.aos('op', 'ls', '--key', 'nowhere.key');

    expect(run.code).toBe(7);
    expect(run.stderr).toContain('There is no key file "nowhere.key"');
  });

  test.each([
    ['http://example.org', 2, '"example.org" is another machine, which is asked over https only'],
    ['ftp://127.0.0.1', 2, '"ftp://127.0.0.1" is no address of a gateway'],
    ['http://127.0.0.1:7717/api', 2, 'is no address of a gateway'],
    ['nonsense', 2, '"nonsense" is no address of a gateway'],
    ['http://127.0.0.1:1', 7, '"http://127.0.0.1:1" cannot be reached: nobody listens there'],
    ['https://PORT', 7, 'cannot be reached: it does not speak TLS'],
  ])('--url %s is refused in words', async (typed, code, said) => {
    const url = typed.replace('PORT', new URL(home.daemon.url).host);

    const run = await home.aos('op', 'ls', '--key', alice.path, '--url', url);

    expect(run.stderr).toContain(said);
    expect(run.code).toBe(code);
  });

  test('bytes that were changed in the store get no name', async () => {
    const as = ['--key', alice.path];
    const { id: own } = await home.data<Operation>('op', 'submit', 'Write the report', ...as);
    await home.aos('op', 'logs', own, '-f', ...as);
    const folder = home.folder.at('home', 'artifacts', 'operations', own, 'artifacts');
    const stored = readFileSync(`${folder}/report.md.enc`);
    stored[70] = (stored[70] ?? 0) ^ 1;
    // The same file as in the store, under a second name.
    writeFileSync(`${folder}/report.md.enc`, stored);

    const run = await home.aos('op', 'download', own, 'report.md', '--dest', 'damaged', ...as);

    expect(run.code).toBe(1);
    expect(existsSync(home.folder.at('work', 'damaged', 'report.md'))).toBe(false);
    expect(readdirSync(home.folder.at('work', 'damaged'))).toEqual([]);
  });
});

describe('the owner', () => {
  test('sees what is an outsider’s and cannot open it', async () => {
    const one = await home.aos('op', 'get', id);
    const run = await home.aos('op', 'download', id, 'report.md');

    expect(one.stdout).toMatch(/^status +succeeded$/m);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(
      `error: "report.md" is sealed for ${alice.address}, and cannot be opened here`,
    );
    expect(existsSync(home.folder.at('work', 'report.md'))).toBe(false);
  });

  test('submits for somebody of whom the address is known, who opens it with the first signature', async () => {
    const carol = home.wallet('carol');
    const submitted = ['op', 'submit', 'Write the report', '--for', carol.address];
    const { id: hers } = await home.data<Operation>(...submitted);
    await home.aos('op', 'logs', hers, '-f');
    const before = await home.aos('op', 'artifacts', hers);

    const download = await home.aos('op', 'download', hers, 'report.md', '-', '--key', carol.path);
    const after = await home.aos('op', 'artifacts', hers);

    expect(before.stdout).not.toContain('no key of the home opens it');
    expect(download).toMatchObject({ code: 0, stdout: '# Report\n', stderr: '' });
    expect(after.stdout).toMatch(/^report\.md .* no key of the home opens it$/m);
  });

  test('signs with the key of an agent by --as', async () => {
    await home.aos('register', 'sam');

    const list = await home.aos('op', 'ls', '--as', 'sam');
    const mistyped = await home.aos('op', 'ls', '--as', 'sma');
    const both = await home.aos('op', 'ls', '--as', 'sam', '--key', alice.path);
    const foreign = await home.aos('op', 'get', id, '--as', 'sam');

    expect(list).toMatchObject({ code: 0, stdout: 'There are no operations.\n' });
    expect(mistyped.code).toBe(4);
    expect(mistyped.stderr).toContain('Did you mean "sam"?');
    expect(both.code).toBe(2);
    expect(foreign.code).toBe(4);
  });
});
