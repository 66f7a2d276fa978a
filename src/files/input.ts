/** Requests to the file agent as they come in: what is not known is refused, nothing is guessed. */
import * as z from 'zod';
import { AosError } from '../kernel/errors.ts';
import { type FileRequest, fileActions, sortKeys } from '../kernel/files/request.ts';
import { quote } from '../kernel/text/quote.ts';

// What a path may have is said by paths.ts, in better words.
const path = z.string().max(8192);
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/)
  .describe('ISO 8601, as 2026-11-01 or 2026-11-01T08:00:00Z');
const bytes = z.int().min(0);

export const filtersSchema = z.strictObject({
  type: z
    .string()
    .max(1000)
    .optional()
    .describe("Endings of names, or kinds by content: 'pdf', 'image/*', 'document/*'"),
  name: z.string().max(1000).optional().describe("A pattern for the name, as '*invoice*'"),
  modified_after: moment.optional(),
  modified_before: moment.optional(),
  created_after: moment.optional(),
  created_before: moment.optional(),
  taken_after: moment.optional(),
  taken_before: moment.optional(),
  size_gt: bytes.optional().describe('More bytes than this'),
  size_lt: bytes.optional().describe('Fewer bytes than this'),
  exclude: z
    .array(z.string().max(1000))
    .max(100)
    .optional()
    .describe('Names and patterns to pass over'),
  kind: z.enum(['file', 'folder', 'any']).optional(),
  duplicates: z.boolean().optional().describe('Only files that are there more than once'),
});

export const optionsSchema = z.strictObject({
  recursive: z.boolean().optional().describe('Also what is in the folders below'),
  dry_run: z.boolean().optional().describe('Say what would happen, and touch nothing'),
  confirm_required: z
    .boolean()
    .optional()
    .describe('true asks before any change; false alone confirms nothing'),
  confirmation_token: z
    .string()
    .max(200)
    .optional()
    .describe("The owner's yes to the plan it came with"),
  limit: z.int().min(1).max(100_000).optional(),
  sort: z.enum(sortKeys).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  hidden: z.boolean().optional().describe('Also names that begin with a dot'),
  search_in: z.enum(['name', 'content', 'both']).optional(),
  exact: z.boolean().optional().describe('The query as it stands, and not its words'),
  regex: z.boolean().optional().describe('The query is a regular expression'),
  likely_modified_after: moment
    .optional()
    .describe('search_files: changed since; where nothing fits, also what was not'),
  likely_modified_before: moment
    .optional()
    .describe('search_files: changed before; where nothing fits, also what was not'),
  on_error: z.enum(['stop', 'continue']).optional(),
  on_conflict: z.enum(['replace', 'skip', 'number', 'fail']).optional(),
  permanent: z
    .boolean()
    .optional()
    .describe('Delete for ever, past the trash; for the owner alone'),
  encoding: z.enum(['utf8', 'base64']).optional(),
  offset: bytes.optional(),
  length: z.int().min(1).optional(),
  technical: z.boolean().optional().describe('Also inode, device, mode and owner'),
});

/** Everything but the action. */
const parts = {
  path: path.optional().describe('A file, a folder or a pattern; "~" is the root'),
  paths: z
    .array(path)
    .min(1)
    .max(1000)
    .optional()
    .describe('Several of them instead, for move_file, copy_file and delete_file: one plan'),
  destination: path.optional().describe('Where to; for rename_file a name, or a pattern of one'),
  query: z.string().max(2000).optional().describe('What to search for'),
  content: z
    .string()
    .refine((text) => text.isWellFormed(), 'it has half a character in it')
    .optional()
    .describe('The text that write_file writes'),
  content_base64: z
    .string()
    .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
    .optional()
    .describe('The bytes that write_file writes, instead'),
  filters: filtersSchema.optional(),
  options: optionsSchema.optional(),
};

/** Without its action: what the tool of that action takes. */
export const requestPartsSchema = z.strictObject(parts);

export const requestSchema: z.ZodType<FileRequest> = z.strictObject({
  action: z.enum(fileActions).describe('One of the declared actions'),
  ...parts,
});

/** For doors that answer what is no request in the words of the file agent. */
export function checkedRequest(value: unknown): FileRequest {
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const what = where === '' ? 'The request' : quote(where);
  throw new AosError('files.invalid-input', {
    message: `${what} cannot be so: ${issue?.message ?? 'it is not valid'}`,
    fix: 'Write it as the interface has it: {"action":"list_files","path":"~/Downloads"}',
  });
}
