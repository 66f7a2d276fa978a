import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consoleCommands, looksLike } from '../support/console-blocks.ts';
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
const shown = documents.flatMap((document) =>
  consoleCommands(readFileSync(join(root, document), 'utf8')).map((command) => ({
    document,
    ...command,
  })),
);

/** Runs a line as somebody would type it, in a home of its own, with `aos` on the path. */
async function type(line: string): Promise<string> {
  await using folder = temporaryFolder();
  await mkdir(folder.at('bin'));
  await writeFile(folder.at('bin', 'aos'), programScript(), { mode: 0o755 });
  const env = {
    ...process.env,
    HOME: folder.path,
    PATH: `${folder.at('bin')}:${process.env['PATH']}`,
  };
  return await new Promise((resolve) => {
    execFile('sh', ['-c', `${line} 2>&1`], { env }, (_error, stdout) => resolve(stdout));
  });
}

test('the documents show commands', () => {
  expect(shown.length).toBeGreaterThan(5);
});

// A machine without a sandbox is not ready, and doctor says so.
const needsSandbox = ({ command }: { command: string }) => command === 'aos doctor';

test.for(shown)('$document: "$command" prints what is shown', async (line, { skip }) => {
  const { command, shown } = line;
  skip(needsSandbox(line) && !hasSandbox, 'there is no bubblewrap');

  const output = await type(command);

  expect(looksLike(output, shown), `${command} printed:\n${output}`).toBe(true);
});

test.each(documents)('every link in %s leads somewhere', (document) => {
  const links = [...readFileSync(join(root, document), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)];

  for (const [, target = ''] of links) {
    const path = join(root, document, '..', target);
    expect(() => readFileSync(path), `${document} links to ${target}`).not.toThrow();
  }
});
