/** What the other side of a WebSocket asks for. */
import type { WebSocket } from 'ws';
import { AosError } from '../../kernel/errors.ts';
import { type SocketMessage, type SocketRequestType, socketRequests } from '../contract/socket.ts';
import { badRequest, problemOf } from '../server/problem.ts';
import type { MailSocket } from './mail-socket.ts';
import type { Checked, SocketChecks } from './socket-checks.ts';

export interface ObeyingConnection {
  readonly socket: WebSocket;
  readonly mail: MailSocket;
  readonly checks: SocketChecks;
  readonly reader: {
    /** Throws when the caller sends too much. */
    countMessage(): void;
  };
}

/** Does what a text from the other side asks for, or says why not. */
export function obey(connection: ObeyingConnection, text: string | undefined): void {
  const { socket, reader } = connection;
  try {
    const message = parsed(text);
    const type = typeOf(message);
    // Sending is slowed by the relay's rate, and reading by how fast it is written down.
    if (type !== 'send' && type !== 'read') reader.countMessage();
    if (type === undefined) throw unknownRequest();
    obeyRequest(connection, type, message);
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    void sendText(socket, { type: 'error', problem: problemOf(failure) });
    if (failure.code === 'gateway.too-many') socket.close(1008, 'too many messages');
  }
}

function obeyRequest(
  { checks, socket, mail }: ObeyingConnection,
  type: SocketRequestType,
  message: unknown,
): void {
  switch (type) {
    case 'ping':
      void sendText(socket, { type: 'pong' });
      return;
    case 'send':
      mail.send(good(checks.send(message)));
      return;
    case 'read':
      mail.read(good(checks.read(message)));
      return;
    case 'attach':
      mail.attach(good(checks.attach(message)));
      return;
    case 'detach':
      mail.detach(good(checks.detach(message)));
  }
}

function good<T>(checked: Checked<T>): T {
  if (checked.kind === 'bad') throw checked.error;
  return checked.value;
}

function unknownRequest(): AosError {
  return badRequest(
    `The messages that are understood have the "type" ${Object.keys(socketRequests).join(', ')}`,
  );
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    // It is told what would be understood.
    return undefined;
  }
}

function typeOf(message: unknown): SocketRequestType | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  const { type } = message;
  return typeof type === 'string' && isRequestType(type) ? type : undefined;
}

function isRequestType(type: string): type is SocketRequestType {
  return Object.hasOwn(socketRequests, type);
}

/** Resolves when it has left this process, or when the socket has closed under it. */
export function sendText(socket: WebSocket, message: SocketMessage): Promise<void> {
  return new Promise((resolve) => {
    // A failure is no news: the socket's `close` says the same.
    socket.send(JSON.stringify(message), () => resolve());
  });
}
