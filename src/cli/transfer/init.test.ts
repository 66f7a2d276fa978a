import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runProgram } from '../core/program.ts';
import { agentsText, withSection } from './init.ts';

async function init(...argv: readonly string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const write = (text: string): void => {
    said += text;
  };
  const terminal = {
    ...{ out: write, err: write, colorOut: false, colorErr: false, columns: 80 },
    input: { isTerminal: true, read: async function* () {} },
  };
  const { signal } = new AbortController();
  const environment = { AOS_HOME: '/nonexistent/home' };
  const words = ['init', ...argv];
  const invocation = {
    name: 'agent-transfer',
    argv: words,
    environment,
    terminal,
    signal,
  } as const;
  return { code: await runProgram(invocation), said };
}

test('init writes the file for agents, and the second time nothing', async () => {
  await using folder = temporaryFolder();
  const file = folder.at('AGENTS.md');

  const first = await init('--agents-md', file);
  const again = await init('--agents-md', file);

  expect(first).toMatchObject({ code: 0 });
  expect(first.said).toContain('agent-transfer download-all --dest downloads');
  expect(readFileSync(file, 'utf8')).toBe(agentsText);
  expect(again.said).toContain('says already');
});

test('init leaves all else in the file, and its mode', async () => {
  await using folder = temporaryFolder();
  const file = folder.at('AGENTS.md');
  writeFileSync(file, '# Ours\n\nBe kind.\n');
  chmodSync(file, 0o664);

  await init('--agents-md', file);

  expect(readFileSync(file, 'utf8')).toBe(`# Ours\n\nBe kind.\n\n${agentsText}`);
  expect(statSync(file).mode & 0o777).toBe(0o664);
});

test('what init wrote before is replaced where it stands', () => {
  const old = agentsText.replace('- Cut off?', '- Older words.\n- Cut off?');

  expect(withSection(`above\n${old}below\n`, 'f')).toBe(`above\n${agentsText}below\n`);
});

test('init refuses a file in which half of its part is gone', () => {
  const half = agentsText.split('\n').slice(1).join('\n');

  expect(() => withSection(half, '/x/AGENTS.md')).toThrow('only one of the two lines');
});

test('init --dry-run writes nothing', async () => {
  await using folder = temporaryFolder();

  const run = await init('--agents-md', folder.at('AGENTS.md'), '--dry-run');

  expect(run.said).toMatch(/^Would write into /);
  expect(() => statSync(folder.at('AGENTS.md'))).toThrow('ENOENT');
});

test('init does not write through a link', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('elsewhere'), 'old');
  symlinkSync(folder.at('elsewhere'), folder.at('AGENTS.md'));

  const run = await init('--agents-md', folder.at('AGENTS.md'));

  expect(run.code).not.toBe(0);
  expect(readFileSync(folder.at('elsewhere'), 'utf8')).toBe('old');
});
