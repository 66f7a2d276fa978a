/** What git knows of this checkout; an unpacked archive has no git, and goes without. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { root } from './run-tool.ts';

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // Not a checkout, or one without a commit.
    return '';
  }
}

/** The hash of the last commit's tree, or nothing. */
export function treeHash(): string {
  return git('rev-parse', 'HEAD^{tree}').trim();
}

/** The hash of all that the last commit has but these files, or nothing. */
export function treeHashWithout(...paths: readonly string[]): string {
  const lines = git('ls-tree', '-r', 'HEAD').split('\n');
  const kept = lines.filter((line) => !paths.some((path) => line.endsWith(`\t${path}`)));
  return kept.length > 1 ? createHash('sha256').update(kept.join('\n')).digest('hex') : '';
}

/** The number from which this tree's cases are drawn: the same for everybody who has it. */
export function seedOfTree(): number {
  return Number.parseInt(treeHash().slice(0, 7), 16) || 1;
}

/** The files that differ from the last commit, as git says it. */
export function checkoutState(): string {
  return git('status', '--porcelain');
}
