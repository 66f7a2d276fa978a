import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { consoleBlocks, looksLike } from '../support/console-blocks.ts';
import { limitMs } from '../support/limits.ts';
import { hasSandbox } from '../support/machine.ts';
import { programScript } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const blocks = documents.flatMap((document) =>
  consoleBlocks(readFileSync(join(root, document), 'utf8')).map((commands) => ({
    document,
    commands,
    first: commands[0]?.command ?? '',
  })),
);

/** Somebody at a shell, in a home of their own, with `aos` on the path. */
interface Shell extends AsyncDisposable {
  type(line: string): Promise<string>;
}

async function openShell(env: Readonly<Record<string, string>>): Promise<Shell> {
  const folder = temporaryFolder();
  await mkdir(folder.at('bin'));
  for (const name of ['aos', 'agent-transfer'] as const) {
    await writeFile(folder.at('bin', name), programScript(name), { mode: 0o755 });
  }
  const all = {
    ...process.env,
    ...env,
    HOME: folder.path,
    PATH: `${folder.at('bin')}:${process.env['PATH']}`,
  };
  const type = (line: string): Promise<string> =>
    new Promise((resolve) => {
      const options = { env: all, cwd: folder.path };
      execFile('sh', ['-c', `${line} 2>&1`], options, (_error, stdout) => resolve(stdout));
    });
  return {
    type,
    async [Symbol.asyncDispose]() {
      if (existsSync(folder.at('.agent-relay', 'run', 'aos.sock'))) await type('aos down');
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('the documents show commands', () => {
  expect(blocks.flatMap(({ commands }) => commands).length).toBeGreaterThan(5);
});

type Block = (typeof blocks)[number];

// A machine without a sandbox is not ready, and doctor says so.
const needsSandbox = ({ commands }: Block) =>
  commands.some(({ command }) => command === 'aos doctor');

// The port of the documents may be taken on this machine.
const environmentOf = ({ commands }: Block): Record<string, string> =>
  commands.some(({ command }) => /^aos (?:up|register)/.test(command)) ? { AOS_PORT: '0' } : {};

// A command says the same with a daemon and without one, and takes a fifth of the time with it.
// So one is up before for blocks that register agents and start none; those that count events,
// which a start is too, are run as they stand.
const isHelped = ({ commands }: Block) =>
  commands.some(({ command }) => command.startsWith('aos register')) &&
  !commands.some(({ command }) => /\baos (?:up|demo|audit|backup)\b/.test(command));

/** What each command of a block has printed. */
const outputs = new Map<Block, readonly string[]>();

async function run(block: Block): Promise<void> {
  await using shell = await openShell(environmentOf(block));
  if (isHelped(block)) await shell.type('aos up --detach');
  const printed: string[] = [];
  for (const { command } of block.commands) printed.push(await shell.type(command));
  outputs.set(block, printed);
}

// All of them before the first test looks: much of what they take is waiting, for daemons that
// start and agents that work.
const atOnce = 4;

beforeAll(async () => {
  const left = blocks.filter((block) => hasSandbox || !needsSandbox(block));
  const runSome = async (): Promise<void> => {
    for (let block = left.shift(); block !== undefined; block = left.shift()) await run(block);
  };
  await Promise.all(Array.from({ length: atOnce }, runSome));
}, limitMs(300_000));

test.for(blocks)('$document: "$first" … print what is shown', (block, { skip }) => {
  skip(needsSandbox(block) && !hasSandbox, 'there is no bubblewrap');

  for (const [place, { command, shown }] of block.commands.entries()) {
    const output = outputs.get(block)?.[place] ?? '';

    expect(looksLike(output, shown), `${command} printed:\n${output}`).toBe(true);
  }
});

const linking = [...documents, 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md'];

test.each(linking)('every link in %s leads somewhere', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];

  for (const [, target = ''] of links) {
    const path = join(root, document, '..', target);
    expect(() => readFileSync(path), `${document} links to ${target}`).not.toThrow();
  }
});
