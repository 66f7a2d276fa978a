/**
 * How bubblewrap is told what a sandbox is.
 *
 * W1. The root is empty, and what is seen is listed. Nothing is hidden, so nothing can be
 *     forgotten.
 * W2. Nothing is mounted below a folder that can be written inside: bubblewrap follows a
 *     symlink there, out to the host. Its own /tmp is empty then, and comes before what is
 *     seen below it.
 * W3. No process inside is the host's uid 0. Under a root daemon there is no user namespace, and
 *     the program gets a uid of its own before it starts (becomeArguments); under another user's,
 *     uids inside are that user's at most.
 * W4. The root and /dev are closed last: both are kept in memory, without a limit.
 * W5. The program cannot write the memory of the first process inside. Under root that one is
 *     bubblewrap, of another uid. Under another user's daemon both have the same uid, so the first
 *     process is a shell of ours (inner-script.ts) that keeps a capability which the program lacks:
 *     the kernel lets no process trace, or write by /proc, one that may do more.
 */
import { AosError } from '../../kernel/errors.ts';
import type { SandboxView, SeenLink, SeenPath } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';

/** What the host has that every sandbox sees. Found by looking, not assumed. */
export interface HostParts {
  readonly isRoot: boolean;
  /** Folders of programs and libraries. */
  readonly folders: readonly string[];
  /** `/bin` and its like where they are links. */
  readonly links: readonly SeenLink[];
  /** What takes the place of /etc. */
  readonly etc: string;
  /** Parts of /etc that are seen as they are. */
  readonly etcParts: readonly string[];
  /** A Node that is mounted for the listener; undefined where that one is seen anyway. */
  readonly node: string | undefined;
}

export const workspaceInside = '/workspace';
export const nodeInside = '/run/aos/node';

const tmpBytes = 64 * 2 ** 20;
const shmBytes = 16 * 2 ** 20;
// Of an ordinary daemon; a root daemon gives each agent another one.
const uidInside = '1000';

export interface LauncherOptions {
  /** The descriptor with the filter. */
  readonly seccomp: number;
  /** The descriptor to which it writes what its first process is. */
  readonly info?: number | undefined;
  readonly listens: boolean;
  readonly env: Readonly<Record<string, string>>;
}

/** Its options, without the program. */
export function launcherArguments(
  host: HostParts,
  view: SandboxView,
  options: LauncherOptions,
): readonly string[] {
  const seen = [
    ...host.folders.map((path) => seenAsIs(path)),
    { from: host.etc, to: '/etc', writable: false },
    ...host.etcParts.map((path) => seenAsIs(path)),
    ...nodeFor(host, options.listens),
    { from: view.workspace, to: workspaceInside, writable: true },
    ...view.sees,
  ];
  const { links = [] } = view;
  checkPlaces(seen, links);
  const closed = seen.filter((path) => !path.writable);
  const parents = parentsOf(seen, links);
  return [
    ...identity(host),
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...Object.entries(options.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...parents.filter((path) => !isInTmp(path)).flatMap(folder),
    ...closed.filter(({ to }) => !isInTmp(to)).flatMap(mounted),
    ...[...host.links, ...links.filter(({ path }) => !isInTmp(path))].flatMap(linked),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', String(tmpBytes), '--tmpfs', '/tmp'],
    ...['--perms', '1777', '--size', String(shmBytes), '--tmpfs', '/dev/shm'],
    ...[...folder('/var'), '--symlink', '../tmp', '/var/tmp'],
    // W2
    ...parents.filter(isInTmp).flatMap(folder),
    ...closed.filter(({ to }) => isInTmp(to)).flatMap(mounted),
    ...links.filter(({ path }) => isInTmp(path)).flatMap(linked),
    ...seen.filter((path) => path.writable).flatMap(mounted),
    // Not into the workspace: the launcher has no right to it, the program's own uid has.
    ...['--chdir', '/', '--seccomp', String(options.seccomp)],
    ...(options.info === undefined ? [] : ['--info-fd', String(options.info)]),
    // W4
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
  ];
}

function seenAsIs(path: string): SeenPath {
  return { from: path, to: path, writable: false };
}

function nodeFor({ node }: HostParts, listens: boolean): readonly SeenPath[] {
  return listens && node !== undefined ? [{ from: node, to: nodeInside, writable: false }] : [];
}

/**
 * The folders that have to be there for others to lie in, the outermost first. Made by the
 * launcher itself they would be closed to the program's uid.
 */
function parentsOf(all: readonly SeenPath[], links: readonly SeenLink[]): readonly string[] {
  const isMounted = (path: string) =>
    all.some(({ to }) => path === to || path.startsWith(`${to}/`));
  const places = [...all.map(({ to }) => to), ...links.map(({ path }) => path)];
  const parents = places.flatMap((to) => {
    const parts = to.split('/').slice(1, -1);
    return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  });
  return [...new Set(parents)].filter((path) => path !== '/tmp' && !isMounted(path)).sort();
}

function folder(path: string): readonly string[] {
  return ['--perms', '0755', '--dir', path];
}

function mounted({ from, to, writable }: SeenPath): readonly string[] {
  return [writable ? '--bind' : '--ro-bind', from, to];
}

function linked({ path, target }: SeenLink): readonly string[] {
  return ['--symlink', target, path];
}

function isInTmp(path: string): boolean {
  return path.startsWith('/tmp/');
}

// W3
function identity({ isRoot }: HostParts): readonly string[] {
  if (!isRoot) {
    const user = ['--unshare-user', '--disable-userns', '--uid', uidInside, '--gid', uidInside];
    // W5: in its own namespace it takes capabilities away, and gives none.
    return [...user, '--as-pid-1', '--cap-drop', 'ALL', '--cap-add', 'CAP_SETPCAP'];
  }
  const kept = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'];
  return ['--cap-drop', 'ALL', ...kept.flatMap((name) => ['--cap-add', name])];
}

/** W3 and W5: what stands before the program, so that it gets its own uid and no capability. */
export function becomeArguments(uid: number | undefined): readonly string[] {
  const powers = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];
  return ['/usr/bin/setpriv', ...idArguments(uid), ...powers, '--no-new-privs', '--'];
}

function idArguments(uid: number | undefined): readonly string[] {
  if (uid === undefined) return [];
  if (!Number.isSafeInteger(uid) || uid < 1) throw new Error('nobody inside is uid 0');
  return [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
}

// W2
function checkPlaces(all: readonly SeenPath[], links: readonly SeenLink[]): void {
  const writable = all.filter((path) => path.writable);
  const places = [...all.map(({ to }) => to), ...links.map(({ path }) => path)];
  for (const to of places) {
    if (!isPlain(to)) throw badPlace(to, 'is no plain absolute path');
    const above = writable.find((other) => to.startsWith(`${other.to}/`));
    if (above !== undefined) throw badPlace(to, `lies below ${above.to}, which is written to`);
    if (places.filter((other) => other === to).length > 1)
      throw badPlace(to, 'is seen there already');
  }
  const closed = /^\/(?:tmp|(?:(?:proc|dev|sys|usr|etc)(?:\/.*)?))?$/;
  for (const { to } of writable) if (closed.test(to)) throw badPlace(to, 'is closed');
}

function isPlain(path: string): boolean {
  const parts = path.split('/').slice(1);
  const isBad = (part: string) => part === '' || part === '.' || part === '..';
  return path.startsWith('/') && !path.includes('\0') && !parts.some(isBad);
}

function badPlace(to: string, why: string): AosError {
  return new AosError('sandbox.bad-folder', {
    message: `${quote(to)} cannot be a place in a sandbox: it ${why}`,
    fix: 'Name another folder',
  });
}
