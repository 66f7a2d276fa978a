/**
 * Which way a request came in. It is known by the server that accepted the connection
 * and by nothing that the request says.
 */
import type { Duplex } from 'node:stream';

export type Door =
  | { readonly kind: 'owner' }
  | { readonly kind: 'agent'; readonly name: string }
  /** By each Host under which it may be called, in small letters, the origin that it then is. */
  | { readonly kind: 'tcp'; readonly origins: ReadonlyMap<string, string> };

const doorOfConnection = new WeakMap<Duplex, Door>();

export function enterThrough(door: Door, connection: Duplex): void {
  doorOfConnection.set(connection, door);
}

export function doorOf(connection: Duplex): Door {
  const door = doorOfConnection.get(connection);
  // No caller may be taken for the owner because something was forgotten.
  if (door === undefined) throw new Error('a request came through no door');
  return door;
}

/** The names under which a port of this machine may be called, and where a proxy shows it. */
export function originsOf(port: number, publicUrl?: string): ReadonlyMap<string, string> {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  const own = names.map((host) => [host, `http://${host}`] as const);
  if (publicUrl === undefined) return new Map(own);
  // In small letters, and without a port that goes without saying: as browsers write it.
  const { origin, host, protocol } = new URL(publicUrl);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const shown = host.includes(':') ? [host] : [host, `${host}:${usualPort}`];
  return new Map([...own, ...shown.map((name) => [name, origin] as const)]);
}
