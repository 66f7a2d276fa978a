/** How the demo is told: in scenes for a person, a line of JSON each for a program. */
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { paint } from '../core/terminal.ts';

const indent = '   ';
const widest = 80;

export class Narrator {
  readonly #context: Pick<Context, 'words' | 'stream' | 'terminal'>;
  readonly #json: boolean;
  #scenes = 0;

  constructor(context: Pick<Context, 'words' | 'stream' | 'terminal'>, json: boolean) {
    this.#context = context;
    this.#json = json;
  }

  scene(title: string): void {
    this.#scenes++;
    const { words, terminal } = this.#context;
    words(`\n${paint(terminal.colorOut, 'strong', `${this.#scenes}. ${title}`)}`);
  }

  say(text: string): void {
    for (const line of wrapped(text, this.#width - indent.length)) this.#line(line);
  }

  /** As it is, whatever its width: tables and paths. */
  rows(lines: readonly string[]): void {
    for (const line of lines) this.#line(`  ${line}`);
  }

  /** What somebody else has said, apart from what is said about it. */
  quoted(text: string): void {
    const room = this.#width - indent.length - 2;
    for (const line of text.replace(/\n$/, '').split('\n')) {
      for (const piece of cutInto(oneLine(line), room)) this.#line(`> ${piece}`);
    }
  }

  good(text: string): void {
    const { words, terminal } = this.#context;
    words(`${indent}${paint(terminal.colorOut, 'good', text)}`);
  }

  /** What shows the same to whoever types it. */
  typed(...commands: readonly string[]): void {
    const { words, terminal } = this.#context;
    for (const command of commands) {
      words(`${indent}${paint(terminal.colorOut, 'dim', `$ ${command}`)}`);
    }
  }

  /** For a program: what the scene was about. */
  done(scene: string, facts: object): void {
    if (this.#json) this.#context.stream({ data: { scene, ...facts }, text: '' });
  }

  get #width(): number {
    return Math.min(this.#context.terminal.columns, widest);
  }

  #line(text: string): void {
    this.#context.words(`${indent}${oneLine(text)}`.trimEnd());
  }
}

/** At blanks; a word that is longer than a line stays whole, so that it can be copied. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function cutInto(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += width) pieces.push(text.slice(from, from + width));
  return pieces.length === 0 ? [''] : pieces;
}
