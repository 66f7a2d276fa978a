/** Problems that are answered before, or without, the framework. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AosError } from '../../kernel/errors.ts';
import { problemHeaders, problemOf } from './problem.ts';

type Headers = Readonly<Record<string, string>>;

export function answerProblem(response: ServerResponse, error: AosError, common: Headers): void {
  const problem = problemOf(error);
  response.writeHead(problem.status, { ...common, ...problemHeaders(error), connection: 'close' });
  response.end(JSON.stringify(problem));
}

/** On a connection that no response belongs to. */
export function refuseConnection(connection: Duplex, error: AosError, common: Headers): void {
  if (!connection.writable) {
    connection.destroy();
    return;
  }
  const problem = problemOf(error);
  const text = JSON.stringify(problem);
  const headers = {
    ...common,
    ...problemHeaders(error),
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('')}\r\n`;
  // Whatever else comes is not looked at.
  connection.on('error', () => {});
  connection.end(head + text, () => connection.destroy());
}
