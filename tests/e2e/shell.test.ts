/** shell.execute as its users use it: by command, in the real sandbox. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSandbox } from '../support/machine.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { runAos } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const speak = { command: 'echo a; sleep 0.2; echo b >&2; exit 3' };

// A command keeps what it inherits, and then there is no sandbox: a test run may hand on more.
const nothingInherited =
  'for d in $(ls /proc/$$/fd); do if [ "$d" -gt 2 ]; then eval "exec $d>&-"; fi; done; exec "$@"';

function words(args: object, ...more: readonly string[]): readonly string[] {
  return ['tool', 'call', 'shell.execute', '--args', JSON.stringify(args), '--follow', ...more];
}

describe.skipIf(!hasSandbox)('aos tool call shell.execute --follow', () => {
  let home: RelayHome;

  beforeAll(async () => {
    home = await relayHome();
  });

  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
  });

  test('hands on what the program writes as it comes, and says how it ended', async () => {
    const { code, stdout, stderr } = await home.aos(...words(speak));

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\n' });
    expect(stderr).toMatch(/^b\nexit code 3, [\d.]+(?:ms|s)\n$/);
  });

  test('hands on bytes as they are, and ends a line of its own only on stderr', async () => {
    const command = 'printf "\\033[1mbold"; printf half >&2';

    const { stdout, stderr } = await home.aos(...words({ command }));

    expect(stdout).toBe('\u001b[1mbold');
    expect(stderr).toMatch(/^half\nexit code 0, /);
  });

  test('prints a line of JSON for each part, and the answer last', async () => {
    const { stdout } = await home.aos('--json', ...words(speak));

    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'output', stream: 'stdout', text: 'a\n' },
      { type: 'output', stream: 'stderr', text: 'b\n' },
      { ok: true, data: { output: { exit_code: 3, stdout: 'a\n', stderr: 'b\n' } } },
    ]);
  });

  test('says which limit stopped a program', async () => {
    const run = await home.aos(...words({ program: 'sleep', args: ['60'], timeout_ms: 300 }));

    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr).toMatch(/^stopped: it took longer than it may, /);
  });

  test('works without a daemon', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await runAos(['--home', home, 'register', 'jean']);

    const through = ['bash', '-c', nothingInherited, 'bash'];
    const { code, stdout, stderr } = await runAos(['--home', home, ...words(speak)], { through });

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\n' });
    expect(stderr).toMatch(/^b\nexit code 3, /);
  });
});
