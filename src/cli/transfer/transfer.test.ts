import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runProgram } from '../core/program.ts';
import type { Terminal } from '../core/report.ts';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Nothing is there, so whatever got past the words would say that there is no home.
const nowhere = { AOS_HOME: '/nonexistent/home' };

async function transfer(...argv: readonly string[]): Promise<Run> {
  let [stdout, stderr] = ['', ''];
  const terminal: Terminal = {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    ...{ colorOut: false, colorErr: false, columns: 80 },
    input: { isTerminal: true, read: async function* () {} },
  };
  const { signal } = new AbortController();
  const invocation = {
    name: 'agent-transfer',
    argv,
    environment: nowhere,
    terminal,
    signal,
  } as const;
  const code = await runProgram(invocation);
  return { code, stdout, stderr };
}

describe('agent-transfer', () => {
  test.each([
    ['send x', 'needs a value for'],
    ['send x --to ,', 'Nobody is named who should get it'],
    ['send - --to jared', 'What is piped in has no name of its own'],
    ['send x --to jared --metadata [1]', '--metadata wants an object in JSON'],
    ['send x --to jared --expires soon', '--expires wants a time'],
    ['send x --to jared --limit-rate fast', '--limit-rate wants a size'],
    ['send x --to jared --links follow', 'knows keep, skip, not "follow"'],
    ['send x --to jared --wait failed', 'accepted, rejected, not "failed"'],
    ['list --metadata 5', '--metadata wants an object in JSON'],
    ['download ../../x', '"../../x" is no id of a transfer'],
    ['download 0199c1f2 -', 'would go to your terminal'],
    ['download-all --dest -', 'Several files cannot go to stdout'],
    ['reject 0199c1f2', 'needs a value for'],
    ['watch --dest in --quiet', 'has no option "--quiet"'],
    ['watch --dest in word', 'was given words for a program, and no program'],
    ['link 0199c1f2 --max-downloads 0', '--max-downloads wants a whole number'],
    ['upload-link --max-size none', '--max-size wants a size'],
    ['metrics --days 0', '--days wants a whole number'],
    ['sned x', 'There is no command "sned". Did you mean "send"'],
  ])('%s is refused in words', async (line, words) => {
    const run = await transfer(...line.split(' '));

    expect(run.stderr).toContain(words);
    expect(run.code).toBe(2);
  });

  test('calls itself by its own name', async () => {
    const run = await transfer('send', '--help');

    expect(run.stdout).toMatch(/^Usage: agent-transfer send \[options\] <path>/);
  });

  test('lists its commands, and not those of aos', async () => {
    const run = await transfer('--help');

    expect(run.stdout).toMatch(/^Usage: agent-transfer [\s\S]*download-all[\s\S]*cleanup/);
    expect(run.stdout).not.toContain('doctor');
  });
});

describe('send --dry-run', () => {
  test('says what would be sent, and needs no home for that', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('report.md'), '# Report\n');

    const run = await transfer('send', folder.at('report.md'), '--to', 'jared,jean', '--dry-run');

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(
      'Would send "report.md" (9 B), sealed, to jared, jean. Nothing was sent.\n',
    );
  });

  test('says that there is nothing to send', async () => {
    const run = await transfer('send', '/nonexistent/x', '--to', 'jared', '--dry-run');

    expect(run.code).toBe(4);
    expect(run.stderr).toContain('There is nothing at "/nonexistent/x" to send');
  });
});
