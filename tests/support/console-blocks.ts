export interface ConsoleCommand {
  readonly command: string;
  /** What the document shows below it. A line of its own that is `…` stands for any lines. */
  readonly shown: string;
}

/** Each ```console block of a Markdown text: its commands, each with what it shows. */
export function consoleBlocks(markdown: string): ConsoleCommand[][] {
  return [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
    block
      .split(/^\$ /m)
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [command = '', ...shown] = part.trimEnd().split('\n');
        return { command, shown: shown.join('\n') };
      }),
  );
}

/** Does a real output look as shown? `…` within a line is any text of that line. */
export function looksLike(output: string, shown: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) =>
      line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(RegExp.escape).join('.*')}\\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(`${output.trimEnd()}\n`);
}
