/** The table of promises, as docs/reliability.md has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inColumns } from '../../scripts/markdown-table.ts';
import type { KeptPromise, NamedTest } from './promise.ts';

const root = join(import.meta.dirname, '..', '..');
const [begin, end] = ['<!-- promises: written by npm run fix -->', '<!-- end of promises -->'];

/** A page with its table written anew. */
export function withTable(page: string, promises: readonly KeptPromise[]): string {
  const [before = '', rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`the page has no "${begin}" with an end`);
  return `${before}${begin}\n\n${tableOf(promises)}\n\n${end}${after}`;
}

function tableOf(promises: readonly KeptPromise[]): string {
  const rows = promises.map(({ says, guard, proof, bug }) => {
    const isSame = guard.file === proof.file && guard.title === proof.title;
    const cells = [says, nameOf(guard), isSame ? sameAgain(guard) : nameOf(proof)];
    return [...cells, bug.what].map(escaped);
  });
  const head = ['promise', 'guard, in `npm test`', 'proof, in the full tier', 'planted bug'];
  return inColumns([head, ...rows]);
}

function sameAgain({ file }: NamedTest): string {
  const hasCounts = /support\/(?:tier|cut-everywhere)\.ts'/.test(textOf(file) ?? '');
  return hasCounts ? 'the same, with full counts' : 'the same';
}

function nameOf({ file, title }: NamedTest): string {
  return `${file}: ${title}`;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** What is not true in the table, one line each; none is what we want. */
export function faultsIn(promises: readonly KeptPromise[]): string[] {
  return promises.flatMap((promise) => [
    ...missingTest(promise.id, 'guard', promise.guard),
    ...missingTest(promise.id, 'proof', promise.proof),
    ...notInNpmTest(promise),
    ...unplantable(promise),
  ]);
}

function missingTest(id: string, what: string, { file, title }: NamedTest): string[] {
  const text = textOf(file);
  if (text === undefined) return [`${id}: its ${what} is in ${file}, which is not there`];
  return callsOf(text, title).length > 0 ? [] : [`${id}: ${file} has no "${title}"`];
}

function notInNpmTest({ id, guard: { file, title } }: KeptPromise): string[] {
  const calls = callsOf(textOf(file) ?? '', title);
  const isDeep = calls.length > 0 && calls.every((call) => /^deep\b|isFull/.test(call));
  return isDeep || file.includes('.deep.') ? [`${id}: its guard is not in npm test`] : [];
}

/**
 * How tests of that title are begun, as in `test(` or `deep.each(cases)(`. The title is all of the
 * first argument; what stands in a comment is none.
 */
export function callsOf(text: string, title: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)$/gm, '');
  const written = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  return written.flatMap((one) => {
    const before = code.split(one).slice(0, -1);
    return before.flatMap((_, place) => callBefore(before.slice(0, place + 1).join(one)));
  });
}

/** The call of which the next word is the first argument, if that makes a test. */
function callBefore(code: string): string[] {
  // `long` is what the tests of sandboxes call longTest().
  const begins = code.matchAll(/^ *(?:test|it|deep|long|describe)(?=[.(<])/gm).toArray();
  const call = code.slice(begins.at(-1)?.index ?? code.length).trimStart();
  return /^\w+\(\s*$|^\w+\.[\s\S]*\)\(\s*$/.test(call) ? [call] : [];
}

function unplantable({ id, bug }: KeptPromise): string[] {
  const times = (textOf(bug.file) ?? '').split(bug.find).length - 1;
  return times === 1 ? [] : [`${id}: what its bug replaces is ${times} times in ${bug.file}`];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    // Said by whom it is asked for.
    return undefined;
  }
}
