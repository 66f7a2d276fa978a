/** What the proxy says when it does not do what it was asked. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AosError, httpStatusOf } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/text/quote.ts';

/** With a status of its own, and a sentence for whoever runs in the sandbox. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** The answer is that of another server, not ours: a gateway's statuses. */
const asGateway: ReadonlySet<string> = new Set(['http.unreachable', 'http.bad-answer']);

/** Undefined for what nobody planned for. */
export function refusalOf(failure: unknown): Refusal | undefined {
  if (failure instanceof Refusal) return failure;
  if (!(failure instanceof AosError)) return undefined;
  const { code, message, fix } = failure;
  const status = asGateway.has(code) ? 502 : (httpStatusOf(code) ?? 500);
  return new Refusal(status, fix === undefined ? message : `${message}\n${fix}`);
}

export function refuse(response: ServerResponse, { status, message }: Refusal): void {
  const body = bodyOf(message);
  response.writeHead(status, headersOf(body));
  response.end(body);
}

/** On a connection that no server holds any more. */
export function refuseRaw(socket: Socket, { status, message }: Refusal): void {
  const body = bodyOf(message);
  const headers = Object.entries({ ...headersOf(body), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines}\r\n`);
  socket.write(body);
  socket.destroySoon();
}

function bodyOf(message: string): Buffer {
  return Buffer.from(`${message.split('\n').map(oneLine).join('\n')}\n`);
}

function headersOf(body: Buffer): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
  };
}
