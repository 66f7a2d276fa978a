/** What an agent may say to shell.execute that would mean more than it says. */
import { expect, test } from 'vitest';
import { oneSandboxDaemon, underEachDaemon } from '../support/sandbox-daemon.ts';
import { endOf } from '../support/tool-home.ts';

underEachDaemon((mode) => {
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee'],
    settings: { sandboxesReady: 2 },
  });
  const run = (args: object) => endOf(daemon().execute('jean', args));
  const printed = async (...args: readonly string[]) => {
    const { stdout } = await daemon().execute('jean', {
      program: 'printf',
      args: ['%s|', ...args],
    });
    return stdout;
  };

  test('words reach the program as they are', async () => {
    const words = [
      ...["'", '"', '`id`', '$(id)', '$HOME', '\\', 'a\nb', "'; id; '", '!!', '*', '~', ''],
      ...['-n', '--', '\u001b[31m', 'ü€😀', '\r', '\t', "\\'", '&& id', '#', '%s', '\u0001'],
    ];

    expect(await printed(...words)).toBe(words.map((word) => `${word}|`).join(''));
  });

  test('four thousand of them do, and one of 100,000 characters does', async () => {
    const many = Array.from({ length: 4000 }, (_, place) => String(place));

    expect(await printed(...many)).toBe(many.map((word) => `${word}|`).join(''));
    expect(await printed('x'.repeat(100_000))).toHaveLength(100_001);
  });

  test('orders that say nothing sensible are refused before anything runs', async () => {
    const refused = {
      'a zero byte in a word': { program: 'echo', args: ['a\0b'] },
      'a zero byte in the program': { program: 'ec\0ho' },
      'a zero byte in a variable': { program: 'env', env: { A: 'x\0y' } },
      'half a character': { program: 'echo', args: ['\ud800'] },
      'a word that is too long': { program: 'echo', args: ['x'.repeat(200_000)] },
      'too many words': { program: 'echo', args: Array(5000).fill('x') },
      'words that are too long together': {
        program: 'echo',
        args: Array(12).fill('x'.repeat(1e5)),
      },
      'a variable for a program': { program: 'A=1' },
      'no program': {},
      'an empty program': { program: '' },
      'a folder for a program': { program: '/usr/bin/' },
      'a command and a program': { command: 'id', program: 'id' },
      'two inputs': { program: 'cat', stdin: 'a', stdin_base64: 'YQ==' },
      'a name that is no variable': { program: 'env', env: { 'A B': 'x' } },
      'a name with a script in it': { program: 'env', env: { 'A=$(id);B': 'x' } },
      'a time below one': { program: 'id', timeout_ms: 0 },
      'a word that nobody knows': { program: 'id', uid: 0 },
      'a program that is not there': { program: 'no-such-program' },
      'a program above all folders': { program: '../../../../root/x' },
      'input of eight megabytes': { program: 'cat', stdin: 'x'.repeat(8 * 2 ** 20) },
    };

    for (const [what, args] of Object.entries(refused)) {
      const end = await run(args);
      expect([what, typeof end === 'string' ? end : Object(end).exit_code]).toEqual([
        what,
        expect.toSatisfy(
          (code: unknown) =>
            /^(tool|shell|gateway|request)\./.test(String(code)) || Number(code) > 100,
        ),
      ]);
    }
  });

  test('variables of the agent change nothing before its program runs', async () => {
    const script = 'touch /workspace/acted-early';
    const env = {
      ...{ IFS: 'x', ENV: '/workspace/rc', BASH_ENV: '/workspace/rc', PS4: `$(${script})` },
      ...{ LD_PRELOAD: '/workspace/evil.so', LD_LIBRARY_PATH: '/workspace', SHELLOPTS: 'xtrace' },
      ...{ PERL5OPT: '-Mevil', NODE_OPTIONS: '--require=/workspace/e.js', PATH: '/workspace' },
      ...{ HOME: '/', PWD: '/x', OLDPWD: '/y', HTTP_PROXY: 'http://evil', NODE_CHANNEL_FD: '3' },
      ...{ TMPDIR: '/workspace/none', GCONV_PATH: '/workspace', _: 'x', s: 'y', l: 'z' },
    };
    await daemon().sh('jean', `echo '${script}' > rc; cp rc printf; chmod +x printf rc`);

    const answer = await daemon().execute('jean', { program: 'printf', args: ['%s|', 'a b'], env });
    const listed = await daemon().execute('jean', {
      program: 'env',
      env: { IFS: 'x', A: "'$(id)\n" },
    });
    const after = await daemon().sh('jean', 'ls; rm -f printf rc');

    expect(answer).toMatchObject({ program: '/usr/bin/printf', exit_code: 0, stdout: 'a b|' });
    expect(listed.stdout).toContain("A='$(id)\n");
    expect(listed.stdout).toContain('IFS=x');
    expect(after.stdout).not.toContain('acted-early');
  });

  test('nothing of the environment of the daemon is there', async () => {
    const { stdout = '' } = await daemon().execute('jean', { program: 'env' });

    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const usual = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'TMPDIR', 'USER'];
    expect(names.toSorted()).toEqual(usual);
  });

  test('a folder to run in is looked for inside, and one that is not there is told', async () => {
    const up = await daemon().sh('jean', 'pwd; ls', { cwd: '../..' });
    const missing = await run({ program: 'pwd', cwd: 'no/such/folder' });
    const hosts = await run({ program: 'ls', cwd: daemon().home });
    const odd = await run({ program: 'pwd', cwd: "x'; touch /workspace/ran; '" });
    const after = await daemon().sh('jean', 'ls');

    expect(up.stdout).toMatch(/^\/\n/);
    expect(up.stdout).toContain('workspace');
    for (const end of [missing, hosts, odd]) expect(end).not.toMatchObject({ exit_code: 0 });
    expect(after.stdout).not.toContain('ran');
  });

  test('input of some megabytes arrives, also when nobody reads it', async () => {
    const stdin = 'x'.repeat(3 * 2 ** 20);

    const counted = await daemon().execute('jean', { program: 'wc', args: ['-c'], stdin });
    const unread = await daemon().execute('jean', { program: 'true', stdin });
    const bytes = await daemon().execute('jean', { program: 'cat', stdin_base64: '/wD+' });

    expect(counted.stdout).toBe(`${stdin.length}\n`);
    expect(unread).toMatchObject({ exit_code: 0 });
    expect(bytes).toMatchObject({ stdout_base64: '/wD+' });
  });

  test('a pipe with a name, for output, blocks only whoever waits for it', async () => {
    const answer = await daemon().sh('jean', 'mkfifo p; echo x > p', { timeout_ms: 500 });
    const after = await daemon().sh('jean', 'rm p; echo well');

    expect(answer).toMatchObject({ stopped_by: 'time' });
    expect(after.stdout).toBe('well\n');
  });

  test('a list of programs is held to by name, and a line for the shell needs its own', async () => {
    const { client } = daemon();
    const lee = (args: object) => endOf(daemon().execute('lee', args));
    const [all] = (await client.grants({ agent: 'lee' })).items.filter(
      ({ capability }) => capability === 'shell:*:execute',
    );
    await client.revoke(all?.id ?? '');
    await daemon().grant('lee', 'shell:*:execute{allowlist:id,cat}');

    expect(await lee({ program: 'id' })).toMatchObject({ program: '/usr/bin/id', exit_code: 0 });
    expect(await lee({ program: '/usr/bin/../bin/id' })).toMatchObject({ exit_code: 0 });
    const refused = [
      ...[{ command: 'id' }, { program: 'sh', args: ['-c', 'id'] }, { program: 'ls' }],
      ...[{ program: '/workspace/id' }, { program: 'id/../ls' }, { program: './id' }],
      ...[{ program: '/usr/bin/env', args: ['id'] }, { program: '/tmp/id' }],
    ];
    for (const args of refused)
      expect([args, await lee(args)]).toEqual([args, 'capability.denied']);
  });

  test('nobody without the grant runs anything', async () => {
    const { client } = daemon();
    await client.register('sam');

    const end = await endOf(
      client.callTool('shell.execute', { as: 'sam', args: { program: 'touch', args: ['x'] } }),
    );

    expect(end).toBe('capability.denied');
  });
});
