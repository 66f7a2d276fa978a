/** A tree such as a home has after years: 200,000 files in 2,421 folders, always the same. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './workplace.ts';

export const treeFiles = 200_000;
/** Of the files, those that have words in them. */
export const treeTexts = 10_000;

const folderNames = ['Documents', 'Pictures', 'projects', 'archive', 'Music'];
const nameWords = [
  ...['report', 'photo', 'draft', 'budget', 'letter', 'scan', 'backup', 'meeting', 'contract'],
  ...['holiday', 'recipe', 'plan', 'summary', 'table', 'picture', 'statement', 'ticket', 'notes'],
];
const endings = ['pdf', 'jpg', 'docx', 'png', 'xlsx', 'mp3', 'json', 'zip', 'csv', 'html'];
const words = [
  ...['the', 'house', 'river', 'number', 'garden', 'window', 'account', 'payment', 'garden'],
  ...['letter', 'morning', 'company', 'travel', 'summer', 'winter', 'paper', 'people', 'engine'],
];

let made: Promise<string> | undefined;

/** The one that all benches look at; whoever comes first makes it. */
export function sharedFileTree(): Promise<string> {
  made ??= benchFolder().then((folder) => {
    makeFileTree(join(folder, 'tree'));
    return join(folder, 'tree');
  });
  return made;
}

/** Takes half a minute. */
export function makeFileTree(folder: string): void {
  const folders = [...foldersBelow(folder)];
  for (const path of folders) mkdirSync(path, { recursive: true });
  for (let index = 0; index < treeFiles; index++) {
    const path = folders[index % folders.length] ?? folder;
    const isText = index % (treeFiles / treeTexts) === 0;
    writeFileSync(join(path, nameOf(index, isText)), isText ? textOf(index) : fillOf(index));
  }
}

/** But for the base: 20, with 20 in each, with 5 in each. */
function* foldersBelow(base: string): Generator<string> {
  for (let first = 0; first < 20; first++) {
    const top = join(base, `${pick(folderNames, first)}-${first}`);
    yield top;
    for (let second = 0; second < 20; second++) {
      const middle = join(top, `${pick(nameWords, second)}-${second}`);
      yield middle;
      for (let third = 0; third < 5; third++) yield join(middle, `${2016 + third}`);
    }
  }
}

/** One of a hundred is an invoice. */
function nameOf(index: number, isText: boolean): string {
  const word = index % 100 === 7 ? 'invoice' : pick(nameWords, index);
  return `${word}-${String(index).padStart(6, '0')}.${isText ? 'txt' : pick(endings, index)}`;
}

/** Some 40 lines; one of twenty texts is of Ahmed. */
function textOf(index: number): string {
  const lines = Array.from({ length: 40 }, (_, line) =>
    Array.from({ length: 10 }, (_, word) => pick(words, index + line * 7 + word * word)).join(' '),
  );
  if ((index / (treeFiles / treeTexts)) % 20 === 3) lines.splice(20, 0, 'paid by Ahmed in June');
  return `${lines.join('\n')}\n`;
}

/** Bytes that are no text, of other lengths. */
function fillOf(index: number): Buffer {
  return Buffer.alloc((index % 97) * 13);
}

function pick(list: readonly string[], index: number): string {
  return list[index % list.length] ?? '';
}
