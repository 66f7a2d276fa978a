/** Calls a tool from outside, and looks on. */
import { AosError } from '../../kernel/errors.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { ShownPart } from '../../kernel/text/quote.ts';
import type { Answer, Body } from '../contract/contract.ts';
import type { ToolEvent } from '../contract/stream-events.ts';
import { type ClientDeps, parseJson, postStream, problemError } from './exchange.ts';

export interface StreamToolOptions {
  /** The same key is the same call. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ends with the answer, or throws what went wrong. A reader that leaves does not end the call. */
export async function* streamTool(
  deps: ClientDeps,
  path: string,
  {
    call,
    options: { key, signal } = {},
  }: { readonly call: Body<'callTool'>; readonly options?: StreamToolOptions | undefined },
): AsyncGenerator<ToolEvent, void, void> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const { body } = await postStream(deps, path, { body: call, headers, signal });
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event, data } of parser.push(bytes)) {
      const content = parseJson(data);
      if (event === 'problem') throw problemError(0, content);
      const shown = toolEventOf(event, content);
      if (shown !== undefined) yield shown;
      if (shown?.kind === 'answer') return;
    }
  }
  throw new AosError('daemon.down', {
    message: 'The daemon hung up before the call had ended; whether it goes on is unknown',
    fix: 'aos tool calls',
  });
}

// The versions were compared, as for every answer: the content is what its name says.
function toolEventOf(event: string, content: unknown): ToolEvent | undefined {
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
