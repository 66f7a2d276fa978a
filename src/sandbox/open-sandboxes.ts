/** The sandboxes of this machine: which form there is depends on the system. */
import type { Sandboxes } from '../kernel/sandbox.ts';
import { BubblewrapSandboxes, type SandboxOptions } from './bubblewrap-sandboxes.ts';

export type { SandboxOptions } from './bubblewrap-sandboxes.ts';

import { NoSandboxes } from './no-sandboxes.ts';
import { SeatbeltSandboxes } from './seatbelt-sandboxes.ts';

export function openSandboxes(options: SandboxOptions): Sandboxes {
  switch (process.platform) {
    case 'linux':
      return new BubblewrapSandboxes(options);
    case 'darwin':
      return new SeatbeltSandboxes(options);
    default:
      return new NoSandboxes(process.platform);
  }
}
