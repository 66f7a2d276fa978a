import type { Deed } from '../../kernel/capability/capability.ts';
import { deedOfParts } from '../../kernel/capability/deed-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { parseFilePath } from '../../kernel/files/file-path.ts';
import type { Permit } from '../../security/permit.ts';
import type { ToolCall } from '../../tools/tool.ts';

export type FileAction = 'read' | 'write';

/** What is done to a file, as capabilities see it. Throws `file.bad-path`. */
export function fileDeed(home: string, path: string, action: FileAction): Deed {
  return deedOfParts(home, parseFilePath(path), action);
}

/** Of a call that has one deed. */
export function permitOf({ permits: [permit] }: ToolCall): Permit {
  if (permit !== undefined) return permit;
  throw new AosError('internal.bug', { message: 'A call came without the permit for its deed' });
}
