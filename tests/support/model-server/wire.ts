/** How one vendor's requests are read and its answers written. */
import * as z from 'zod';
import type { AnswerPart, ModelAnswer, ModelRequest } from '../../../src/kernel/agent/model.ts';
import { pieces } from '../../../src/models/scripted/scripted-model.ts';
import { ourToolName, vendorToolName } from '../../../src/models/vendors.ts';

export interface ServedRequest {
  readonly model: string;
  readonly isStream: boolean;
  /** OpenAI's chat tells what was used in a stream only to who asks for it. */
  readonly wantsUsage: boolean;
  readonly request: ModelRequest;
  /** As the client spells the tools that it offers. */
  readonly offered: readonly string[];
}

export interface Wire {
  readonly path: string;
  /** Throws when the request is not as the vendor's documents say. */
  read(body: unknown): ServedRequest;
  /** The answer in one piece. */
  whole(served: ServedRequest, answer: ModelAnswer): object;
  /** The answer as server-sent events, each with the empty line behind it. */
  events(served: ServedRequest, answer: ModelAnswer): readonly string[];
  failure(status: number, message: string): object;
}

export type Call = Extract<AnswerPart, { kind: 'tool-call' }>;

const fewAtATime = 7;
const mostChunks = 2000;

/** A text as it would be streamed. */
export function chunks(text: string): readonly string[] {
  return pieces(text, Math.max(fewAtATime, Math.ceil(text.length / mostChunks)));
}

/** A client that has hyphens in its names gets them back, and ours get theirs. */
export function nameOnWire({ offered }: ServedRequest, tool: string): string {
  return (
    offered.find((name) => name === tool || ourToolName(name) === tool) ?? vendorToolName(tool)
  );
}

/** A scripted call with the one argument `$raw` sends that text, which need not be JSON. */
export function argsOnWire({ args }: Call): string {
  const raw = rawArgs.safeParse(args);
  return raw.success ? raw.data.$raw : JSON.stringify(args);
}

const rawArgs = z.strictObject({ $raw: z.string() });

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });

/** Text as vendors take it: bare, or in parts of which some are no text. */
export const textContent = z
  .union([z.string(), z.array(textPart)])
  .transform((content) =>
    typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
  );

export const jsonSchema = z.record(z.string(), z.unknown());
