import * as z from 'zod';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { FileReadDeps } from './deps.ts';
import { fileDeed, permitOf } from './file-deed.ts';
import { readFileWithin } from './read-file.ts';

const schema = z.strictObject({
  path: z.string().describe('The whole path, from the root'),
  offset: z.int().min(0).default(0).describe('The first byte to read'),
  length: z.int().min(1).optional().describe('How many bytes to read; to the end if not said'),
  encoding: z
    .enum(['utf8', 'base64'])
    .optional()
    .describe('base64 for what is no text; a text if not said'),
});

/** The tool `file.read`. */
export function fileRead(deps: FileReadDeps): Tool {
  return defineTool({
    name: 'file.read',
    summary: 'Read a file, or a part of one',
    schema,
    effect: 'read',
    deeds: ({ path }) => [fileDeed(deps.home, path, 'read')],
    run({ path, offset, length, encoding }, call) {
      const permit = permitOf(call);
      return readFileWithin(deps, call, { path, offset, length, encoding, permit });
    },
  });
}
