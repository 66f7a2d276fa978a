import * as z from 'zod';
import { defineTool, type Tool } from '../../tools/tool.ts';
import { givenBytes } from '../given-bytes.ts';
import type { FileDeps } from './deps.ts';
import { fileDeed, permitOf } from './file-deed.ts';
import { writeFileWithin } from './write-file.ts';

const schema = z
  .strictObject({
    path: z.string().describe('The whole path, from the root; its folder has to be there'),
    content: z
      .string()
      .refine((text) => text.isWellFormed(), 'it has half a character in it')
      .optional()
      .describe('The text to write'),
    content_base64: z.base64().optional().describe('The bytes to write, instead of a text'),
    if_exists: z
      .enum(['refuse', 'replace'])
      .default('refuse')
      .describe('What to do when there is a file already'),
  })
  .refine(
    ({ content, content_base64 }) => (content === undefined) !== (content_base64 === undefined),
    'it takes either content or content_base64',
  );

/** The tool `file.write`. */
export function fileWrite(deps: FileDeps): Tool {
  return defineTool({
    name: 'file.write',
    summary: 'Write a file, whole: a new one, or in place of the one that is there',
    schema,
    effect: 'write',
    deeds: ({ path }) => [fileDeed(deps.home, path, 'write')],
    async run({ path, if_exists: ifExists, ...given }, call) {
      const permit = permitOf(call);
      return writeFileWithin(deps, call, { path, ifExists, permit }, givenBytes(given));
    },
  });
}
