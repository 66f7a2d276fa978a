/**
 * The file that a scripted model follows. Whatever in it could not be followed is refused when
 * it is opened, with its place.
 */
import * as z from 'zod';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { badTemplate } from './template.ts';

const largestScriptBytes = 1024 * 1024;
const longestDelayMs = 3_600_000;

const callSchema = z.strictObject({
  tool: z.string().min(1).max(200),
  args: z.record(z.string(), z.json()).default({}),
});

const answerFields = {
  say: z.string().optional(),
  reason: z.string().optional(),
  call: z.array(callSchema).max(100).optional(),
  usage: z
    .strictObject({
      input_tokens: z.int().min(0).optional(),
      output_tokens: z.int().min(0).optional(),
    })
    .optional(),
  delay_ms: z.int().min(0).max(longestDelayMs).optional(),
  /** How many characters come at a time. */
  stream: z.int().min(1).optional(),
};

const saysSomething = { message: 'it needs "say" or "call"' };

const turnSchema = z
  .strictObject({ ...answerFields, repeat: z.int().min(1).max(1_000_000).optional() })
  .refine(({ say, call }) => say !== undefined || call !== undefined, saysSomething);

const ruleSchema = z
  .strictObject({
    ...answerFields,
    when: z
      .strictObject({
        last_contains: z.string().min(1).optional(),
        goal_matches: z.string().min(1).optional(),
      })
      .refine((when) => Object.keys(when).length > 0, { message: 'it names no condition' }),
  })
  .refine(({ say, call }) => say !== undefined || call !== undefined, saysSomething);

const scriptSchema = z.strictObject({
  scripted_model: z.literal(1),
  name: z.string().max(200).optional(),
  turns: z.array(turnSchema).max(10_000).default([]),
  rules: z.array(ruleSchema).max(1000).default([]),
});

export type Script = z.infer<typeof scriptSchema>;
/** A script as it is written in a program. */
export type ScriptText = z.input<typeof scriptSchema>;

/** What is said in one turn, its templates not yet filled in. */
export type ScriptedTurn = Omit<Script['turns'][number], 'repeat'>;

export function parseScript(text: string, name: string): Script {
  if (Buffer.byteLength(text) > largestScriptBytes) throw badScript(name, 'it is over 1 MiB');
  return checkScript(parseJson(text, name), name);
}

export function checkScript(value: unknown, name: string): Script {
  const parsed = scriptSchema.safeParse(value);
  if (!parsed.success) throw badScript(name, firstIssue(parsed.error));
  for (const { place, text } of stringsOf(parsed.data)) {
    const wrong = badTemplate(text);
    if (wrong !== undefined) throw badScript(name, `${place}: ${wrong}`);
  }
  return parsed.data;
}

export function badScript(name: string, what: string): AosError {
  return new AosError('model.bad-script', {
    message: `The script ${quote(name)} cannot be followed: ${oneLine(what)}`,
    fix: 'Mend the script at that place, then run it again',
    details: { script: name },
  });
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where =
      error instanceof Error ? /line \d+ column \d+/.exec(error.message)?.[0] : undefined;
    throw badScript(name, `it is no JSON${where === undefined ? '' : `, at ${where}`}`);
  }
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'it is no script';
  const place = placeOf(issue.path);
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}

// turns[0].call[1].args.path
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

interface PlacedText {
  readonly place: string;
  readonly text: string;
}

/** Every text that templates are filled into. */
function stringsOf({ turns, rules }: Script): readonly PlacedText[] {
  return [...turns.entries()]
    .flatMap(([index, turn]) => stringsIn(said(turn), ['turns', index]))
    .concat(
      [...rules.entries()].flatMap(([index, rule]) => stringsIn(said(rule), ['rules', index])),
    );
}

function said({ say, reason, call }: ScriptedTurn): unknown {
  return { say, reason, call };
}

function stringsIn(value: unknown, path: readonly PropertyKey[]): PlacedText[] {
  if (typeof value === 'string') return [{ place: placeOf(path), text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, item]) => stringsIn(item, [...path, key]));
}
