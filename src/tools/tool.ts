/** What a tool is. The door (call.ts) is the only one who runs it. */
import * as z from 'zod';
import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import type { OutputPart } from '../kernel/sandbox.ts';
import type { Permit } from '../security/permit.ts';
import type { ToolEffect, ToolVerb } from '../verbs/verb.ts';

/** `read` changes nothing, `write` something of this home, `external` something elsewhere. */
export type Effect = ToolEffect;

export interface ToolSpec<Args> {
  /** `area.what`, as in `http.fetch`. */
  readonly name: string;
  /** One sentence, for a model that chooses among tools. */
  readonly summary: string;
  /** Strict: what it does not know is refused. */
  readonly schema: z.ZodType<Args>;
  readonly effect: Effect | ((args: Args) => Effect);
  /**
   * A second run under the same key (`ToolCall.key`) has no second effect: after a crash it
   * is simply run again. What only reads always is.
   */
  readonly repeatable?: boolean;
  /** It ends by itself soon after its signal, and leaves nothing behind: that is waited for. */
  readonly cleansUp?: boolean;
  /** When the owner who asked for it goes away, as by Ctrl-C, it ends too; else it goes on. */
  readonly endsWithCaller?: boolean;
  /** Why a human has to approve this call; undefined where none has to. Never asked for the owner. */
  readonly asks?: (
    args: Args,
    asker: ToolAsker,
  ) => Promise<string | undefined> | string | undefined;
  /** A yes is to one call and its reason: nothing that was approved for always stands for it. */
  readonly asksEachTime?: boolean;
  /** Where its work may take longer than calls usually do. */
  readonly deadlineMs?: number;
  /** Where its result may be longer than results usually are. */
  readonly outputBytes?: number;
  /** All that the caller must be allowed to do, before anything is done. */
  readonly actions: (args: Args) => readonly Action[];
  /** Resolves to what JSON can hold. */
  readonly run: (args: Args, call: ToolCall) => Promise<unknown>;
}

/** The caller, before it is decided whether it may, but for what the actions say. */
export interface ToolAsker {
  readonly principal: string;
  /** Of the call; undefined where it was given none. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** One run of a tool, as the tool sees it. */
export interface ToolCall {
  readonly id: string;
  /** For whom: `owner` or `agent:NAME`. */
  readonly principal: string;
  /** Does not change when this call is run again; no other call has it. */
  readonly key: string;
  /** Aborts at the deadline, when a grant is revoked, when the daemon stops. The reason is an AosError. */
  readonly signal: AbortSignal;
  /** The most that the result may have. */
  readonly outputBytes: number;
  /** What the grants for `actions` allow, in the same order. */
  readonly permits: readonly Permit[];
  /** For a caller that looks on; undefined where none does. */
  show?(part: OutputPart): void;
  /** For what turns out on the way, as where a redirect leads. Throws `capability.denied`. */
  permit(action: Action): Promise<Permit>;
  /** Whether it would be permitted. Nothing is counted or recorded. */
  may(action: Action): Promise<boolean>;
  /** The reason to which a human has said yes; undefined where none was asked. */
  approvedReason(): Promise<string | undefined>;
}

/** A tool with its types closed over. */
export interface Tool {
  readonly name: string;
  readonly summary: string;
  readonly repeatable: boolean;
  readonly endsWithCaller: boolean;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Throws `tool.bad-arguments`. */
  prepare(args: unknown): PreparedCall;
}

/** A call whose arguments were checked. */
export interface PreparedCall {
  readonly effect: Effect;
  readonly actions: readonly Action[];
  readonly asksEachTime: boolean;
  readonly cleansUp: boolean;
  readonly deadlineMs: number | undefined;
  readonly outputBytes: number | undefined;
  asks(asker: ToolAsker): Promise<string | undefined>;
  run(call: ToolCall): Promise<unknown>;
}

/** What a tool does when it is called; what it is, its verb says. */
export type ToolWork<Args> = Omit<
  ToolSpec<Args>,
  'name' | 'summary' | 'schema' | 'effect' | 'actions'
>;

/** What the tool of a verb is called with. */
export type ToolArgs<Verb extends { readonly input: z.ZodType }> = z.output<Verb['input']>;

/** The tool of a verb. `home` is what its permission depends on. */
export function toolOf<Args, Home>(
  verb: ToolVerb<Args, Home>,
  home: Home,
  work: ToolWork<Args>,
): Tool {
  const { name, summary, input, effect, toolEffect, permission } = verb;
  return defineTool<Args>({
    ...{ name, summary, schema: input },
    effect: toolEffect ?? (effect === 'looks' ? 'read' : 'write'),
    actions: (args) => permission(args, home),
    ...work,
  });
}

export function defineTool<Args>(spec: ToolSpec<Args>): Tool {
  const { name, summary, schema, effect, asks, actions, run } = spec;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  return {
    name,
    summary,
    repeatable: spec.repeatable ?? false,
    endsWithCaller: spec.endsWithCaller ?? false,
    inputSchema,
    prepare(given) {
      const parsed = schema.safeParse(given);
      if (!parsed.success) throw badArguments(name, parsed.error);
      const args = parsed.data;
      return {
        effect: typeof effect === 'function' ? effect(args) : effect,
        actions: actions(args),
        asksEachTime: spec.asksEachTime ?? false,
        cleansUp: spec.cleansUp ?? false,
        deadlineMs: spec.deadlineMs,
        outputBytes: spec.outputBytes,
        asks: async (asker) => asks?.(args, asker),
        run: (call) => run(args, call),
      };
    },
  };
}

function badArguments(tool: string, { issues }: z.ZodError): AosError {
  const [first] = issues;
  const place = first?.path.map(String).join('.') ?? '';
  const where = place === '' ? 'The arguments' : `"${place}"`;
  return new AosError('tool.bad-arguments', {
    message: `${where} of ${tool} cannot be so: ${first?.message ?? 'they are not valid'}`,
    fix: `aos tool ls ${tool} shows what it takes`,
  });
}
