/** Where a way goes on behind a symlink. Names only: nothing here looks at the disk. */
import { AosError } from '../../kernel/errors.ts';
import { longestPathBytes, printFilePath } from '../../kernel/files/file-path.ts';

/** The way with what a symlink says in the place of the symlink, which is the part at `index`. */
export function withTarget(
  parts: readonly string[],
  index: number,
  target: string,
): readonly string[] {
  const behind = target.startsWith('/') ? [] : parts.slice(0, index);
  const ahead = target.split('/').filter((name) => name !== '' && name !== '.');
  // What is behind was walked, and is no symlink: there, the folder above is the name before.
  const firstName = ahead.findIndex((name) => name !== '..');
  const ups = firstName === -1 ? ahead.length : firstName;
  const kept = behind.slice(0, Math.max(0, behind.length - ups));
  return checkLength([...kept, ...ahead.slice(ups), ...parts.slice(index + 1)]);
}

/** The same for a `..` at `index`, once all before it was walked. */
export function withoutUp(parts: readonly string[], index: number): readonly string[] {
  return [...parts.slice(0, Math.max(0, index - 1)), ...parts.slice(index + 1)];
}

/**
 * The places that the way comes to: its end, and before that wherever it turns back up.
 * The second kind tells something too, as whether there is a folder.
 */
export function* placesOn(parts: readonly string[]): Generator<readonly string[]> {
  const names: string[] = [];
  for (const name of parts) {
    if (name !== '..') names.push(name);
    else {
      yield [...names];
      names.pop();
    }
  }
  yield names;
}

// A few symlinks that lead to each other often enough would make it longer and longer.
function checkLength(parts: readonly string[]): readonly string[] {
  if (Buffer.byteLength(printFilePath(parts)) <= longestPathBytes) return parts;
  throw new AosError('file.bad-path', {
    message: `The path leads over symlinks to one of more than ${longestPathBytes} bytes`,
    fix: 'Name the file by the path without symlinks',
  });
}
