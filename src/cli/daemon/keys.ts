import type { Command } from 'commander';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';

export function defineKeys(command: Command, context: Context): void {
  command
    .command('rotate')
    .description('seal what the daemon keeps of artifacts with a new key, and destroy the old one')
    .addHelpText(
      'after',
      '\nThe daemon does it by itself when the key is as old as the setting "keyRotationDays" says.\nCut off in the middle, it is gone on with when the home is opened next. The keys of the owner\nand of agents are who they are, and stay.\n\nExample:\n  aos keys rotate',
    )
    .action(() => rotate(context));
}

async function rotate(context: Context): Promise<void> {
  const rotated = await withHome(context, { holder: 'aos keys rotate' }, (client) =>
    client.rotateKeys({ signal: context.signal }),
  );
  const { key, resealed, rewrapped } = rotated;
  const sealed = `${counted(resealed, 'metadata.json file')} and ${counted(rewrapped, 'key')} of artifacts`;
  const text = `Key ${key} is in use. Sealed anew: ${sealed}. The old key is destroyed.`;
  context.print({ data: rotated, text });
}
