/**
 * What a verb is: something that a caller can have the daemon do, defined once. The HTTP route
 * and its checks, the OpenAPI page, the typed client and the model's tool are derived from it.
 */
import * as z from 'zod';
import { pathAction } from '../kernel/capability/action-text.ts';
import type { Action } from '../kernel/capability/capability.ts';
import { parseFilePath } from '../kernel/files/file-path.ts';

/** What it does to what is there: nothing, something, or something that cannot be taken back. */
export type VerbEffect = 'looks' | 'changes' | 'destroys';

/**
 * `open` needs nothing; `principal` a caller that is known or has signed, also an outsider; `any`
 * the owner or an agent, who may see less than the owner; `owner` the owner.
 */
export type Who = 'open' | 'principal' | 'any' | 'owner';

/** A verb that HTTP has. */
export interface Verb {
  /** One sentence: for the OpenAPI page, the client, and a model that chooses among tools. */
  readonly summary: string;
  readonly effect: VerbEffect;
  /** The body of its request. */
  readonly input: z.ZodType;
  /** The body of its answer. */
  readonly output: z.ZodType;
  readonly who: Who;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for a parameter. */
  readonly path: string;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly status: number;
  /** A request and an answer for the OpenAPI page; a test holds both against the schemas. */
  readonly examples?: { readonly input?: unknown; readonly output?: unknown };
  /**
   * How long a client waits for the answer where its caller says nothing; else ten seconds. What
   * the caller asks the daemon to wait for (`wait_ms`) is added.
   */
  readonly timeoutMs?: number;
  /** What its body names, or the agent for which it is done, may be missing (404). */
  readonly mayBeMissing?: true;
  /** What it names may be over, expired or erased, which is told from what never was (410). */
  readonly mayBeGone?: true;
  /** Served whatever the caller's version: what is needed to see that and to mend it. */
  readonly anyVersion?: true;
  /** How large a body may be, when that is not the usual. */
  readonly bodyBytes?: number;
  /** Bytes of any number, which the route reads as they come. */
  readonly streams?: true;
  /** What they are, when they are no bytes of any kind. */
  readonly streamType?: string;
  /** When its answer is not JSON. */
  readonly contentType?: string;
  /** Answers HEAD too, by itself: it is about bytes that need not be read for that. */
  readonly head?: true;
  /** Its answer has a secret, so the gateway does not keep it to give it again. */
  readonly secretAnswer?: true;
  /** Takes the weak form of a signature too, where the settings allow it. */
  readonly legacySignature?: true;
  /** Makes sense of an `Idempotency-Key` by itself; else the gateway does (idempotency.ts). */
  readonly ownKey?: true;
  /** Checks its body by itself, because it has words of its own for one that cannot be. */
  readonly ownBodyCheck?: true;
  /** A tool whose calls this route makes, and the word that the tool has for its items. */
  readonly name?: string;
  readonly listed?: string;
}

/** What a tool does, in the journal's words: `external` changes something elsewhere. */
export type ToolEffect = 'read' | 'write' | 'external';

/**
 * A verb that a model can call as a tool. `Home` is what of the home folder its permission
 * depends on, as where relative paths begin.
 */
export interface ToolVerb<Args, Home = unknown> {
  /** `area.what`, as in `http.fetch`. */
  readonly name: string;
  readonly summary: string;
  readonly effect: VerbEffect;
  /** Where the effect does not say it: else what looks is `read`, and the rest `write`. */
  readonly toolEffect?: ToolEffect | ((args: Args) => ToolEffect);
  /** Strict: what it does not know is refused. */
  readonly input: z.ZodType<Args>;
  /** All that the caller must be allowed to do, before anything is done. */
  readonly permission: (args: Args, home: Home) => readonly Action[];
}

/** A verb that is a tool alone: over HTTP it is called by the tool's name. */
export function tool<Args, Home = unknown>(verb: ToolVerb<Args, Home>): ToolVerb<Args, Home> {
  return verb;
}

interface RoutedTool<Input extends z.ZodType, Output extends z.ZodType>
  extends Omit<ToolVerb<z.output<Input>>, 'input'> {
  readonly input: Input;
  readonly output: Output;
  readonly examples: NonNullable<Verb['examples']>;
  readonly bodyBytes?: number;
  readonly mayBeMissing?: true;
  /** The tool calls its items so; on the wire every list has `items`. */
  readonly listed?: string;
}

/** For verbs whose permission is about files: the folder of Agent OS, without symlinks. */
export interface HomeFolder {
  readonly home: string;
}

/** What is done to a file, as capabilities see it. Throws `file.bad-path`. */
export function actionOnFile(home: string, path: string, action: 'read' | 'write'): Action {
  return pathAction(home, parseFilePath(path), action);
}

/** A tool that has a route of its own too, `POST /api/v1/AREA/WHAT`: each request is a call of it. */
export function toolWithRoute<Input extends z.ZodType, Output extends z.ZodType>(
  verb: RoutedTool<Input, Output>,
) {
  return {
    ...post,
    path: `/api/v1/${verb.name.replace('.', '/')}`,
    who: 'any',
    ownKey: true,
    query: actingAs,
    timeoutMs: longestCallMs,
    ...verb,
  } as const;
}

// How long a client waits for what takes longer than most.

/** A program has some seconds to start, a step and a program some to end, and each of many children. */
export const slowMs = 120_000;
/** Flushing and hashing many bytes takes its time; so does a disk that is busy. */
export const longMs = 10 * 60_000;
/** As long as a call of a tool may take, and a little to be answered. */
export const longestCallMs = 3_700_000;

/** A query arrives as text; `queryNumber` in the server turns these into numbers. */
export const wholeNumber = z.string().regex(/^(?:0|[1-9]\d{0,14})$/);
export const nothing = z.strictObject({});
/** Of lists that are short, nearly always. */
export const listLimit = z.optional(wholeNumber.describe('At most 1000, as when it is not said'));
export const listNext = z.optional(z.string().describe('For the next page; not there at the end'));
export const count = z.int().min(0);
export const time = z.string().describe('UTC, as 2030-01-31T12:00:00.000Z');
export const agentParams = z.strictObject({ name: z.string().max(200) });
export const idParams = z.strictObject({
  id: z.string().max(100).describe('The id, or at least four digits with which only it begins'),
});
/** For verbs that the owner may have done as an agent. */
export const actingAs = z.strictObject({
  as: z.optional(z.string().min(1).max(200).describe('For the owner: the agent to act for')),
});

/** What became of something that failed. */
export const errorReport = z
  .object({
    code: z.string(),
    message: z.string(),
    fix: z.optional(z.string()),
    details: z.optional(z.unknown()),
  })
  .meta({ id: 'ErrorReport' });

export const get = {
  method: 'GET',
  effect: 'looks',
  params: nothing,
  query: nothing,
  input: nothing,
  status: 200,
} as const;
export const post = { ...get, method: 'POST', effect: 'changes' } as const;
export const remove = {
  ...get,
  method: 'DELETE',
  effect: 'destroys',
  status: 204,
  output: nothing,
} as const;
