/**
 * Which way a request came in. It is known by the server that accepted the connection
 * and by nothing that the request says.
 */
import type { Duplex } from 'node:stream';

export type Door =
  | { readonly kind: 'owner' }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'tcp'; readonly hosts: ReadonlySet<string> };

const doorOfConnection = new WeakMap<Duplex, Door>();

export function enterThrough(door: Door, connection: Duplex): void {
  doorOfConnection.set(connection, door);
}

export function doorOf(connection: Duplex): Door {
  const door = doorOfConnection.get(connection);
  // Nobody may be taken for the owner because something was forgotten.
  if (door === undefined) throw new Error('a request came through no door');
  return door;
}

/** The names under which a port of this machine may be called. */
export function loopbackHosts(port: number): Set<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
}
