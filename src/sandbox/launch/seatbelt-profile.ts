/**
 * The profile that macOS holds a program to (`sandbox-exec`). There a program has no view of its
 * own: it sees the paths of the host, and all but those listed are closed to it. This driver has
 * not been tried yet.
 */
import type { SandboxView } from '../../kernel/sandbox.ts';

export interface ProfileOptions {
  /** Where the proxy of this sandbox listens on the host; undefined: no network at all. */
  readonly proxyPort: number | undefined;
}

// Programs, libraries, and what every program reads when it starts.
const readable = [
  ...['/usr', '/bin', '/sbin', '/System', '/Library/Apple', '/opt/homebrew', '/opt/local'],
  ...['/private/etc/ssl', '/private/etc/localtime', '/private/var/db/timezone'],
  ...['/private/var/db/dyld', '/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'],
];
const writable = ['/dev/null', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/fd'];

export function seatbeltProfile(view: SandboxView, { proxyPort }: ProfileOptions): string {
  const seen = view.sees.map(({ from }) => from);
  const written = view.sees.filter((path) => path.writable).map(({ from }) => from);
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* ${places([...readable, view.workspace, ...seen])})`,
    `(allow file-write* ${places([...writable, view.workspace, ...written])})`,
    // What a program makes must not be run with the rights of the user who runs it later.
    '(deny file-write-setugid)',
    ...(proxyPort === undefined
      ? []
      : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    ...(view.unixSockets ? [`(allow network-outbound ${places(seen)})`] : []),
    '',
  ].join('\n');
}

function places(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quoted(path)})`).join(' ');
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
