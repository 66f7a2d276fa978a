/** Calls a tool from outside, and looks on. */
import { AosError } from '../../kernel/errors.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { ShownPart } from '../../kernel/text/shown-output.ts';
import type { Answer, Body } from '../contract/contract.ts';
import type { ToolSight } from '../contract/tool-sight.ts';
import type { TransportAnswer } from './transport.ts';

export interface StreamRequest {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamToolDeps {
  /** An answer that is a stream of events; anything else is thrown. */
  postStream(path: string, request: StreamRequest): Promise<TransportAnswer>;
  /** What arrived is none of ours. */
  parseJson(text: string): unknown;
  /** What the daemon says that went wrong. */
  problemError(content: unknown): AosError;
}

export interface StreamToolOptions {
  /** The same key is the same call. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ends with the answer, or throws what went wrong. Whoever leaves does not end the call. */
export async function* streamTool(
  deps: StreamToolDeps,
  path: string,
  {
    call,
    options: { key, signal } = {},
  }: { readonly call: Body<'callTool'>; readonly options?: StreamToolOptions | undefined },
): AsyncGenerator<ToolSight, void, void> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const { body } = await deps.postStream(path, { body: call, headers, signal });
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event, data } of parser.push(bytes)) {
      const content = deps.parseJson(data);
      if (event === 'problem') throw deps.problemError(content);
      const sight = sightOf(event, content);
      if (sight !== undefined) yield sight;
      if (sight?.kind === 'answer') return;
    }
  }
  throw new AosError('daemon.down', {
    message: 'The daemon hung up before the call had ended; whether it goes on is unknown',
    fix: 'aos tool calls',
  });
}

// The versions were compared, as for every answer: the content is what its name says.
function sightOf(event: string, content: unknown): ToolSight | undefined {
  switch (event) {
    case 'output':
      return { kind: 'output', ...(content as ShownPart) };
    case 'dropped':
      return { kind: 'dropped', ...(content as { readonly bytes: number }) };
    case 'answer':
      return { kind: 'answer', answer: content as Answer<'callTool'> };
    default:
      return undefined;
  }
}
