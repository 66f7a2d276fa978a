/** What agents do with files, as tools: `files.*` of the file agent, `file.*`, `artifact.create`. */
import * as z from 'zod';
import { requestPartsSchema } from '../files/input.ts';
import { parsePath, type Roots } from '../files/paths.ts';
import { artifactLimits } from '../kernel/agent/operation.ts';
import { pathAction } from '../kernel/capability/action-text.ts';
import type { Action } from '../kernel/capability/capability.ts';
import { parsePathPattern } from '../kernel/files/glob.ts';
import type { FileAction } from '../kernel/files/request.ts';
import { actionOnFile, type HomeFolder, type ToolVerb, tool, type VerbEffect } from './verb.ts';

/** Where the file agent works. */
export interface FileFolders extends HomeFolder {
  /** What `~` means. */
  readonly root: string;
}

type FileParts = z.output<typeof requestPartsSchema>;
type Power = 'read' | 'write' | 'move' | 'delete';

interface ActionVerb {
  readonly summary: string;
  readonly effect: VerbEffect;
  /** What has to be allowed at the path, and at the destination where there is one. */
  readonly path: Power;
  readonly destination?: Power;
}

const actions: Readonly<Record<FileAction, ActionVerb>> = {
  list_files: {
    summary: 'List files and folders, by type, size, date or name; the largest, oldest or newest',
    effect: 'looks',
    path: 'read',
  },
  read_file: {
    summary: 'Read a text file, or a part of one; the bytes of anything else on request',
    effect: 'looks',
    path: 'read',
  },
  write_file: {
    summary: 'Write a file, whole; what is there already is replaced only after a yes',
    effect: 'changes',
    path: 'write',
  },
  move_file: {
    summary: 'Move a file or folder, or all that fit, to another folder',
    effect: 'changes',
    path: 'move',
    destination: 'move',
  },
  rename_file: {
    summary: 'Rename a file, or all that fit by a pattern such as {taken}{ext}',
    effect: 'changes',
    path: 'move',
  },
  copy_file: {
    summary: 'Copy a file or folder, or all that fit',
    effect: 'changes',
    path: 'read',
    destination: 'write',
  },
  delete_file: {
    summary: 'Move files to the trash, after a yes',
    effect: 'changes',
    path: 'delete',
  },
  search_files: {
    summary: 'Find files by what they are called and what is in them, the likeliest first',
    effect: 'looks',
    path: 'read',
  },
  get_metadata: {
    summary: 'Tell size, type, dates and, of a photo, when it was taken',
    effect: 'looks',
    path: 'read',
  },
  get_disk_usage: {
    summary: 'Tell how much room files and folders take',
    effect: 'looks',
    path: 'read',
  },
};

/** The tool of an action that the file agent declares. */
export function fileActionTool(action: FileAction): ToolVerb<FileParts, FileFolders> {
  const { summary, effect } = actions[action];
  return {
    name: `files.${action}`,
    summary,
    effect,
    input: requestPartsSchema,
    permission: (parts, folders) => actionsNeeded(folders, action, parts),
  };
}

/** Each file that turns out to be meant is looked at by itself later. Throws `files.*`. */
function actionsNeeded(
  folders: FileFolders,
  action: FileAction,
  request: FileParts,
): readonly Action[] {
  const { path: power, destination: power2 } = actions[action];
  const { folder, glob } = parsePathPattern(request.path ?? '~');
  const place = glob.length === 0 ? (request.path ?? '~') : folder === '' ? '~' : folder;
  const needed = [actionAt(folders, place, power)];
  if (power2 === undefined || request.destination === undefined) return needed;
  return [...needed, actionAt(folders, request.destination, power2)];
}

function actionAt({ root, home }: FileFolders, path: string, power: Power) {
  // Who is in a workspace, and may, is told by the grants.
  const roots: Roots = [root, `${home}/agents`];
  return pathAction(home, parsePath(roots, path), power);
}

const place = z.string().max(8192);
const dryRun = z.boolean().default(false).describe('Say what would happen, and touch nothing');
const indexed = z.strictObject({ path: place.describe('The folder, with everything below it') });
const readAll = ({ path }: { readonly path: string }, folders: FileFolders) => [
  { ...actionAt(folders, path, 'read'), subtree: true },
];

/** What came to the file agent after what it declares. */
export const fileAgentTools = {
  undoPlan: tool({
    name: 'files.undo_plan',
    summary: 'Take back what a plan of the file agent has done',
    effect: 'changes',
    input: z.strictObject({
      plan: z.string().max(100).optional().describe('The last one, where none is named'),
      dry_run: dryRun,
    }),
    permission: () => [],
  }),
  listPlans: tool({
    name: 'files.list_plans',
    summary: 'List what the file agent has changed, and what of it can be taken back',
    effect: 'looks',
    input: z.strictObject({
      before: z.string().max(100).optional(),
      limit: z.int().min(1).max(1000).optional(),
    }),
    permission: () => [],
  }),
  listTrash: tool({
    name: 'files.list_trash',
    summary: 'List what lies in the trash; for the owner',
    effect: 'looks',
    input: z.strictObject({}),
    permission: () => [],
  }),
  restoreFile: tool({
    name: 'files.restore_file',
    summary: 'Bring something back from the trash; for the owner',
    effect: 'changes',
    input: z.strictObject({
      path: place.describe('Where it was, or its name in the trash'),
      dry_run: dryRun,
    }),
    permission: () => [],
  }),
  understand: tool({
    name: 'files.understand',
    summary: 'Tell what an English sentence about files means, as a request; nothing is done',
    effect: 'looks',
    input: z.strictObject({
      sentence: z.string().max(10_000),
      here: place.optional().describe('The folder that "here" means, a whole path'),
    }),
    permission: () => [],
  }),
  indexFolder: tool({
    name: 'files.index_folder',
    summary: 'Make an index of a folder, so that it is searched faster; for the owner',
    effect: 'changes',
    input: indexed,
    permission: readAll,
  }),
  dropIndex: tool({
    name: 'files.drop_index',
    summary: 'Drop the index of a folder; for the owner',
    effect: 'changes',
    input: indexed,
    permission: readAll,
  }),
  listIndexes: tool({
    name: 'files.list_indexes',
    summary: 'List the folders that are indexed; for the owner',
    effect: 'looks',
    input: z.strictObject({}),
    permission: () => [],
  }),
};

const text = z.string().refine((given) => given.isWellFormed(), 'it has half a character in it');

const readInput = z.strictObject({
  path: z.string().describe('The whole path, from the root'),
  offset: z.int().min(0).default(0).describe('The first byte to read'),
  length: z.int().min(1).optional().describe('How many bytes to read; to the end if not said'),
  encoding: z
    .enum(['utf8', 'base64'])
    .optional()
    .describe('base64 for what is no text; a text if not said'),
});

const writeInput = z
  .strictObject({
    path: z.string().describe('The whole path, from the root; its folder has to be there'),
    content: text.optional().describe('The text to write'),
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

export const plainFileTools = {
  read: tool<z.output<typeof readInput>, HomeFolder>({
    name: 'file.read',
    summary: 'Read a file, or a part of one',
    effect: 'looks',
    input: readInput,
    permission: ({ path }, { home }) => [actionOnFile(home, path, 'read')],
  }),
  write: tool<z.output<typeof writeInput>, HomeFolder>({
    name: 'file.write',
    summary: 'Write a file, whole: a new one, or in place of the one that is there',
    effect: 'changes',
    input: writeInput,
    permission: ({ path }, { home }) => [actionOnFile(home, path, 'write')],
  }),
};

const artifactInput = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(artifactLimits.nameLength)
      .describe('What it is called; "/" makes folders. One of the same name is replaced'),
    content: text.optional().describe('The text of it'),
    content_base64: z.base64().optional().describe('The bytes of it, instead of a text'),
    path: z.string().optional().describe('A file to make it of: the whole path, from the root'),
    content_type: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*(?:; ?[a-z0-9-]+=[A-Za-z0-9._-]+)*$/)
      .max(200)
      .optional()
      .describe('As text/markdown; by the name where nothing is said'),
  })
  .refine(
    ({ content, content_base64, path }) =>
      [content, content_base64, path].filter((given) => given !== undefined).length === 1,
    'it takes one of content, content_base64 and path',
  );

export const artifactTool = tool<z.output<typeof artifactInput>, HomeFolder>({
  name: 'artifact.create',
  summary: 'Make an artifact of the operation: sealed for the principal that submitted it',
  effect: 'changes',
  input: artifactInput,
  permission: ({ path }, { home }) =>
    path === undefined ? [] : [actionOnFile(home, path, 'read')],
});
