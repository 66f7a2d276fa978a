import type { Command } from 'commander';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { bytesWords, counted } from '../core/words.ts';

export function defineBlobs(command: Command, context: Context): void {
  command
    .command('verify')
    .description('read all stored bytes, and check that nothing is damaged or missing')
    .addHelpText(
      'after',
      '\nReads the files of transfers and the attachments of messages; nothing is changed. Exit\ncode 1 when something is damaged or missing.\n\nExample:\n  aos blobs verify',
    )
    .action(() => verify(context));
}

type VerifiedBlobs = Answer<'verifyBlobs'>;

async function verify(context: Context): Promise<void> {
  const found = await withHome(context, { holder: 'aos blobs verify' }, (client) =>
    client.verifyBlobs({ signal: context.signal }),
  );
  if (found.corrupt.length + found.missing.length > 0) {
    for (const line of damageLines(found)) context.words(line);
    throw damaged(found);
  }
  const { orphans } = found;
  const lines = [
    `Everything is whole: ${counted(found.checked, 'file')}, ${bytesWords(found.bytes)}.`,
    ...(orphans === 0 ? [] : [`Nobody refers to ${orphans} of them: they go by themselves.`]),
  ];
  context.print({ data: found, text: lines.join('\n') });
}

// As many as fit a screen; with --json there are all.
const mostLines = 20;

function damageLines(found: VerifiedBlobs): string[] {
  const all = [...found.corrupt, ...found.missing];
  const lines = all.slice(0, mostLines).map(({ store, hash, why, needed_by }) => {
    const whom = needed_by.length === 0 ? 'nobody' : needed_by.join(', ');
    return oneLine(`${store} ${hash}: ${why}; needed by ${whom}`);
  });
  const rest = all.length - lines.length + found.more;
  return [...lines, ...(rest === 0 ? [] : [`and ${rest} more`])];
}

function damaged(found: VerifiedBlobs): AosError {
  const [one, two] = [found.corrupt.length, found.missing.length];
  return new AosError('blob.corrupt', {
    message: `Of ${counted(found.checked, 'stored file')}, ${one} ${one === 1 ? 'is' : 'are'} damaged, and ${two} ${two === 1 ? 'is' : 'are'} missing`,
    fix: 'Have them sent again, which mends them',
    details: found,
  });
}
