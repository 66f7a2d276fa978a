import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { shellQuoted } from '../../kernel/text/quote.ts';
import { commandScript, insideWords, readyByte, waitingShell } from './inner-script.ts';

const limits: SandboxLimits = {
  memoryBytes: 512 * 2 ** 20,
  processes: 64,
  cpuPercent: 100,
  fileBytes: 1000,
  openFiles: 100,
  workspaceBytes: 2 ** 30,
  workspaceFiles: 1000,
};

const inner = { limits, byProcess: false, cpuSeconds: undefined };

function run(script: string): string {
  return spawnSync('/bin/sh', ['-c', script], { env: {} }).stdout.toString();
}

test('quoted words come out of the shell as they went in', () => {
  const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', ''));
  const words = fc.array(text, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, (all) => {
      const printed = run(`printf '%s\\1' ${all.map(shellQuoted).join(' ')}`);

      expect(printed.split('\x01').slice(0, -1)).toEqual(
        all.flatMap((each) => Buffer.from(each).toString().split('\x01')),
      );
    }),
    { numRuns: 30 },
  );
});

describe('the script of a command', () => {
  const argv = ['/bin/sh', '-c', 'ulimit -f; ulimit -n; ulimit -c; pwd; echo "$A"'] as const;

  test('sets limits, folder and variables before the program runs', () => {
    const script = commandScript({ argv, cwd: '/usr', env: { A: "it's" } }, inner);

    expect(run(script).split('\n')).toEqual(['2', '100', '0', '/usr', "it's", '']);
  });

  test('gives up when the folder is not there', () => {
    const script = commandScript({ argv, cwd: '/no/such/folder', env: {} }, inner);

    expect(spawnSync('/bin/sh', ['-c', script], { env: {} }).status).toBe(125);
  });

  test('holds single processes where there are no control groups', () => {
    const command = { argv: ['/bin/sh', '-c', 'ulimit -d; ulimit -t'] as const, cwd: '/', env: {} };

    const printed = run(commandScript(command, { limits, byProcess: true, cpuSeconds: 7 }));

    expect(printed.split('\n')).toEqual([String(512 * 1024 + 2 * 2 ** 20), '7', '']);
  });

  test('closes the pipe that it came by', () => {
    const command = { argv: ['/bin/ls', '/proc/self/fd'] as const, cwd: '/', env: {} };
    const script = commandScript(command, inner);

    const { stdout } = spawnSync('/bin/sh', ['-c', `exec 3</dev/null\n${script}`], { env: {} });

    expect(stdout.toString().trim().split('\n')).not.toContain('4');
  });
});

describe('the first process', () => {
  function runFirst(script: string, uid?: number) {
    const options = { uid, limits, byProcess: true };
    const words = insideWords(['/bin/sh', '-c', script], options);
    // What it becomes takes rights that only root has.
    const [shell = '', ...args] = words.filter(
      (word) => !/^(?:--|\/usr\/bin\/setpriv$)/.test(word),
    );
    return spawnSync(shell, args, { env: {}, input: 'read\n' });
  }

  test('has the limits of the program before it starts anything', () => {
    const { stdout } = runFirst('ulimit -p || ulimit -u; ulimit -f; ulimit -n; ulimit -d');

    expect(stdout.toString().split('\n')).toEqual(['80', '2', '100', '2621440', '']);
  });

  test('passes the streams on, and ends with the code or the signal of what it started', () => {
    const { stdout, stderr, status } = runFirst('cat; ls /proc/self/fd | wc -l >&2; kill -9 $$');

    expect([stdout.toString(), stderr.toString().trim(), status]).toEqual(['read\n', '4', 137]);
    expect(runFirst('exit 7').status).toBe(7);
  });

  test('of a daemon of root is the launcher, and nothing stands before the program', () => {
    expect(insideWords(['/bin/sh'], { uid: 7, limits, byProcess: true })[0]).toMatch(/setpriv$/);
  });
});

test('the waiting shell says that it is there, reads to the end, and does what it is told', () => {
  const [shell = '', ...args] = waitingShell({ listenerBy: undefined }).map((word) =>
    word.replace('/workspace', '/'),
  );
  const command = { argv: ['/usr/bin/printf', '%s', "a\nb 'c'\n"] as const, cwd: '/', env: {} };
  const input = Buffer.from(commandScript(command, inner));

  const { stdout, status } = spawnSync(
    '/bin/sh',
    ['-c', 'exec 3<&0; exec "$@" </dev/null', 'sh', shell, ...args],
    { env: {}, input },
  );

  expect([...stdout.subarray(0, 1)]).toEqual([readyByte]);
  expect(stdout.subarray(1).toString()).toBe("a\nb 'c'\n");
  expect(status).toBe(0);
});

test('a command of very many lines is read in no time worth telling', () => {
  const many = Array.from({ length: 8 }, () => 'x\n'.repeat(50_000));
  const command = { argv: ['/usr/bin/true', ...many.slice(0, 1)] as const, cwd: '/', env: {} };

  const script = commandScript(command, inner);

  expect(script.split('\n')).toHaveLength(2);
  expect(script.length).toBeLessThan(10 * (many[0]?.length ?? 0));
});
