/** Every command in the skill and in the text for AGENTS.md is run. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentsText, startupText } from '../../src/cli/transfer/init.ts';
import { type Agent, type TransferHome, transferHome } from '../support/transfer-home.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const skill = read('skills/agent-transfer/SKILL.md');

const inBlocks = [...skill.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);
const inText = [...agentsText.matchAll(/`(agent-transfer [^`]+)`/g)].map(([, line = '']) => line);
const atStart = startupText.split('\n').filter((line) => !line.startsWith('#'));

/** Who says it: a recipient, or the one who has sent. */
function speakerOf(line: string): Agent {
  return /transfer (?:list|download|download-all|accept|reject)\b/.test(line)
    ? 'jared'
    : 'samantha';
}

let home: TransferHome;

beforeAll(async () => {
  home = await transferHome({ withDaemon: true });
  mkdirSync(home.folder.at('data'), { recursive: true });
  writeFileSync(home.folder.at('data', 'numbers.csv'), '1,2\n');
  writeFileSync(home.folder.at('report.md'), '# Report\n');
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

/** A transfer from samantha to jared, downloaded where the command wants it so. */
async function prepare(line: string): Promise<string> {
  for (const name of ['before', 'downloads']) {
    rmSync(home.folder.at(name), { recursive: true, force: true });
  }
  if (!/\bID\b/.test(line)) return '';
  const { id } = await home.data('samantha', 'agent-transfer send report.md --to jared');
  if (/\b(?:accept|reject)\b/.test(line)) {
    await home.data('jared', `agent-transfer download ${id} --dest before`);
  }
  return String(id);
}

describe('a command of the skill, of AGENTS.md or of the start-up script', () => {
  test.each([...new Set([...inBlocks, ...inText, ...atStart])])('runs: %s', async (line) => {
    const id = await prepare(line);

    const run = await home.type(speakerOf(line), line.replace(/\bID\b/, id));

    expect(run).toMatchObject({ code: 0, stderr: '' });
  });
});

test('there are commands to run', () => {
  expect(inBlocks.length).toBeGreaterThan(10);
  expect(inText.length).toBeGreaterThan(6);
});

test('the skill begins with its name and what it is for', () => {
  expect(skill).toMatch(/^---\nname: agent-transfer\ndescription: .{40,1000}\n---\n/);
});

test('the document shows the very text that init writes', () => {
  const [, ...lines] = agentsText.trim().split('\n');

  expect(read('docs/transfer.md')).toContain(lines.slice(0, -1).join('\n'));
  expect(read('docs/transfer.md')).toContain(startupText);
});
