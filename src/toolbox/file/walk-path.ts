/**
 * The path to a file for a call of a tool, followed as files/way does, with what the caller may do.
 *
 * P1. Before anything is looked at where a symlink leads, it is asked whether the caller may
 *     do there what they came for.
 * P2. Beyond the parts that the grant names, the disk stays the same: what is mounted there
 *     is not what the owner had in mind who wrote a star.
 */
import { followPath, type PathEnd, placesOn } from '../../files/follow-path.ts';
import { deedOfParts } from '../../kernel/capability/deed-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { parseFilePath, printFilePath } from '../../kernel/files/file-path.ts';
import { must } from '../../kernel/must.ts';
import type { Disk, FileReader, HeldFolder, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Permit } from '../../security/permit.ts';
import type { ToolCall } from '../../tools/tool.ts';
import { toFileError } from './file-errors.ts';

export interface FileDeps {
  readonly disk: Disk;
  readonly random: Random;
  /** The folder of Agent OS, by the path that no symlink is on. */
  readonly home: string;
}

/** Of a call that has one deed. */
export function permitOf({ permits: [permit] }: ToolCall): Permit {
  return must(permit, 'The permit for the deed of a call');
}

export interface FileTarget {
  readonly path: string;
  readonly action: 'read' | 'write';
  /** What the call is allowed to do there. */
  readonly permit: Permit;
}

/** Where a path has led. The caller of `walkTo` closes it. */
export interface WalkedPlace<Found> extends AsyncDisposable {
  /** Without symlinks. */
  readonly path: string;
  readonly folder: HeldFolder;
  /** The last name, in the held folder. */
  readonly entry: string;
  readonly permit: Permit;
  /** What `open` gave. */
  readonly found: Found;
}

/**
 * Walks to the folder of a path and opens the last name there. Where that turns out to be a
 * symlink, the path goes on behind it. What was opened is not used before it is permitted.
 */
export async function walkTo<Found extends FileReader | undefined>(
  deps: Pick<FileDeps, 'disk' | 'home'>,
  call: ToolCall,
  target: FileTarget,
  open: (entry: string) => Promise<Found>,
): Promise<WalkedPlace<Found>> {
  let parts = parseFilePath(target.path);
  try {
    const end = await followPath(deps.disk, parts, {
      open,
      signal: call.signal,
      async onTurn(turned) {
        parts = turned;
        // P1
        for (const place of placesOn(turned)) {
          const deed = deedOfParts(deps.home, place, target.action);
          if (!(await call.may(deed))) await call.permit(deed);
        }
      },
    });
    return await permitted(deps, call, target, end);
  } catch (failure) {
    throw toFileError(failure, printFilePath(parts));
  }
}

async function permitted<Found extends FileReader | undefined>(
  { home }: Pick<FileDeps, 'home'>,
  call: ToolCall,
  target: FileTarget,
  { parts, folder, entry, found, open, devices }: PathEnd<Found>,
): Promise<WalkedPlace<Found>> {
  await using stack = open;
  const path = printFilePath(parts);
  const permit =
    path === target.path
      ? target.permit
      : await call.permit(deedOfParts(home, parts, target.action));
  const identity = await found?.identity();
  checkDisks(path, identity === undefined ? devices : [...devices, identity.device], permit);
  const kept = stack.move();
  return { path, folder, entry, permit, found, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** P2 */
function checkDisks(path: string, devices: readonly string[], { namedParts }: Permit): void {
  const beyond = devices.slice(namedParts);
  if (beyond.every((device) => device === beyond[0])) return;
  throw new AosError('file.other-disk', {
    message: `The way to ${quote(path)} leads onto another disk, and the grant does not name it`,
    fix: 'Ask for a grant that names the folder behind which the other disk begins',
  });
}
