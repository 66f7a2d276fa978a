/** The files of the demo: made up anew each time, so that nobody can know their numbers. */
import type { Random } from '../../kernel/ports.ts';

export interface DemoFile {
  readonly name: string;
  readonly text: string;
}

export function makeFiles(random: Random): readonly DemoFile[] {
  return [
    { name: 'monday.txt', text: someLines(random, notes) },
    { name: 'tuesday.txt', text: someLines(random, notes) },
    { name: 'wednesday.txt', text: someLines(random, notes) },
    { name: 'letter.txt', text: `Dear Jean,\n\n${someLines(random, notes)}\nYours, Samantha\n` },
    { name: 'orders.csv', text: tableText(random, 'order,item,pieces', 1001) },
    { name: 'stock.csv', text: tableText(random, 'shelf,item,pieces', 1) },
  ];
}

const notes = [
  'The oven was warm at five.',
  'Two trays of rye bread, one of rolls.',
  'Flour came late again; ask the mill.',
  'Sold out before noon.',
  'The new apprentice folds well.',
  'Rain, so fewer people.',
  'Somebody left an umbrella.',
  'Try less salt in the rolls tomorrow.',
];

const items = ['rye bread', 'rolls', 'apple cake', 'flour', 'butter', 'poppy seed rolls'];

/** Three to eight of them, each chosen by itself. */
function someLines(random: Random, from: readonly string[]): string {
  const count = 3 + below(random, 6);
  return `${Array.from({ length: count }, () => oneOf(random, from)).join('\n')}\n`;
}

function tableText(random: Random, head: string, firstNumber: number): string {
  const rows = Array.from(
    { length: 8 + below(random, 25) },
    (_, row) => `${firstNumber + row},${oneOf(random, items)},${1 + below(random, 20)}`,
  );
  return `${[head, ...rows].join('\n')}\n`;
}

function oneOf(random: Random, from: readonly string[]): string {
  return from[below(random, from.length)] ?? '';
}

// Not quite even, which does not matter here.
function below(random: Random, most: number): number {
  return (random.bytes(1)[0] ?? 0) % most;
}

interface Count {
  readonly lines: number;
  readonly words: number;
}

/** As `wc` counts. */
function countOf(text: string): Count {
  return { lines: text.split('\n').length - 1, words: text.match(/\S+/g)?.length ?? 0 };
}

/** The rows of a report that are wrong or not there; none when it is right. */
export function wrongRows(report: string, files: readonly DemoFile[]): readonly string[] {
  return files.flatMap(({ name, text }) => {
    const { lines, words } = countOf(text);
    return report.includes(`\n| ${name} | ${lines} | ${words} | `) ? [] : [name];
  });
}
