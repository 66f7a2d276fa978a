/** The tools `files.*`: each action of the file agent, and what came later. */
import * as z from 'zod';
import { type FileRun, viaOf } from '../../files/file-agent.ts';
import { requestPartsSchema } from '../../files/input.ts';
import type { FileAgent } from '../../files/open-file-agent.ts';
import { parsePath } from '../../files/paths.ts';
import { isChange } from '../../files/plan/make-plan.ts';
import { deedOfParts } from '../../kernel/capability/deed-text.ts';
import { type FileAction, type FileRequest, fileActions } from '../../kernel/files/request.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { deedsOf } from './deeds.ts';

const summaries: Readonly<Record<FileAction, string>> = {
  list_files: 'List files and folders, by type, size, date or name; the largest, oldest or newest',
  read_file: 'Read a text file, or a part of one; the bytes of anything else on request',
  write_file: 'Write a file, whole; what is there already is replaced only after a yes',
  move_file: 'Move a file or folder, or all that fit, to another folder',
  rename_file: 'Rename a file, or all that fit by a pattern such as {taken}{ext}',
  copy_file: 'Copy a file or folder, or all that fit',
  delete_file: 'Move files to the trash, after a yes',
  search_files: 'Find files by what they are called and what is in them, the likeliest first',
  get_metadata: 'Tell size, type, dates and, of a photo, when it was taken',
  get_disk_usage: 'Tell how much room files and folders take',
};

/** A batch of many files on slow disks. */
const longestMs = 3_600_000;

export function filesTools(agent: FileAgent): readonly Tool[] {
  return [...fileActions.map((action) => actionTool(agent, action)), ...moreTools(agent)];
}

function actionTool(agent: FileAgent, action: FileAction): Tool {
  const requestOf = (parts: object): FileRequest => ({ action, ...parts });
  return defineTool({
    name: `files.${action}`,
    summary: summaries[action],
    schema: requestPartsSchema,
    effect: isChange(action) ? 'write' : 'read',
    // What was begun under a key is finished, and not done again.
    ...{ repeatable: true, cleansUp: true, endsWithCaller: true, asksEachTime: true },
    ...(isChange(action) ? { deadlineMs: longestMs } : {}),
    deeds: (parts) => deedsOf(agent, requestOf(parts)),
    asks: (parts, { principal, signal, key }) =>
      agent.question(requestOf(parts), { principal, signal, via: viaOf(key) }),
    run: (parts, call) => agent.run(requestOf(parts), runOf(call)),
  });
}

function runOf(call: ToolCall): FileRun {
  const { principal, key, signal } = call;
  return {
    ...{ principal, key, signal, via: viaOf(key) },
    approvedReason: () => call.approvedReason(),
    onProgress: (done, total) => {
      if (done % 100 !== 0 && done !== total) return;
      call.show?.({ stream: 'stderr', bytes: Buffer.from(`${done} of ${total}\n`) });
    },
  };
}

function moreTools(agent: FileAgent): readonly Tool[] {
  const place = z.string().max(8192);
  const dryRun = z.boolean().default(false).describe('Say what would happen, and touch nothing');
  return [
    defineTool({
      name: 'files.undo_plan',
      summary: 'Take back what a plan of the file agent has done',
      schema: z.strictObject({
        plan: z.string().max(100).optional().describe('The last one, where none is named'),
        dry_run: dryRun,
      }),
      effect: 'write',
      ...{ repeatable: true, cleansUp: true, endsWithCaller: true, deadlineMs: longestMs },
      deeds: () => [],
      run: ({ plan, dry_run }, call) => agent.undo({ plan, dryRun: dry_run }, runOf(call)),
    }),
    defineTool({
      name: 'files.list_plans',
      summary: 'List what the file agent has changed, and what of it can be taken back',
      schema: z.strictObject({
        before: z.string().max(100).optional(),
        limit: z.int().min(1).max(1000).optional(),
      }),
      effect: 'read',
      deeds: () => [],
      run: (page, call) => agent.plans(page, runOf(call)),
    }),
    defineTool({
      name: 'files.list_trash',
      summary: 'List what lies in the trash; for the owner',
      schema: z.strictObject({}),
      effect: 'read',
      deeds: () => [],
      run: (_, call) => agent.trash(runOf(call)),
    }),
    defineTool({
      name: 'files.restore_file',
      summary: 'Bring something back from the trash; for the owner',
      schema: z.strictObject({
        path: place.describe('Where it was, or its name in the trash'),
        dry_run: dryRun,
      }),
      effect: 'write',
      ...{ repeatable: true, cleansUp: true, endsWithCaller: true },
      deeds: () => [],
      run: ({ path, dry_run }, call) => agent.restore({ path, dryRun: dry_run }, runOf(call)),
    }),
    defineTool({
      name: 'files.understand',
      summary: 'Tell what an English sentence about files means, as a request; nothing is done',
      schema: z.strictObject({
        sentence: z.string().max(10_000),
        here: place.optional().describe('The folder that "here" means, a whole path'),
      }),
      effect: 'read',
      deeds: () => [],
      run: (wish, call) => agent.understand(wish, runOf(call)),
    }),
    ...indexTools(agent, place),
  ];
}

function indexTools(agent: FileAgent, place: z.ZodString): readonly Tool[] {
  const schema = z.strictObject({ path: place.describe('The folder, with everything below it') });
  const readAll = (path: string) => {
    const parts = parsePath([agent.root, `${agent.home}/agents`], path);
    return [{ ...deedOfParts(agent.home, parts, 'read'), subtree: true }];
  };
  return [
    defineTool({
      name: 'files.index_folder',
      summary: 'Make an index of a folder, so that it is searched faster; for the owner',
      schema,
      effect: 'write',
      ...{ repeatable: true, cleansUp: true, endsWithCaller: true, deadlineMs: longestMs },
      deeds: ({ path }) => readAll(path),
      run: ({ path }, call) => agent.index(path, runOf(call)),
    }),
    defineTool({
      name: 'files.drop_index',
      summary: 'Drop the index of a folder; for the owner',
      schema,
      effect: 'write',
      repeatable: true,
      deeds: ({ path }) => readAll(path),
      run: ({ path }, call) => agent.dropIndex(path, runOf(call)),
    }),
    defineTool({
      name: 'files.list_indexes',
      summary: 'List the folders that are indexed; for the owner',
      schema: z.strictObject({}),
      effect: 'read',
      deeds: () => [],
      run: (_, call) => agent.indexes(runOf(call)),
    }),
  ];
}
