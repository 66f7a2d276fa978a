/**
 * Is there a bubblewrap that really isolates? A small program is started in a
 * sandbox; it must be alone, without a network, and see nothing of the host but
 * its programs.
 */
import type { DiskView } from '../../kernel/ports.ts';

export type BubblewrapProbe =
  | { readonly kind: 'works'; readonly path: string; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly says: string; readonly fix: string }
  | { readonly kind: 'unsupported'; readonly platform: string };

// Not from PATH: what guards agents is not looked up where a shell profile says.
const places = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];

const deadlineMs = 10_000;

// Each line fails the probe if the wall it looks at is not there. Nothing but the
// shell itself until the last one, because every program started costs the user time.
const insideProgram = `
test ! -e /root && test ! -e /home && test ! -e /etc/shadow || { echo "the host's files are visible"; exit 1; }
(: > /outside) 2>/dev/null && { echo "the root folder can be written"; exit 1; }
test $$ -le 2 || { echo "the host's processes are visible"; exit 1; }
while read -r card _; do case $card in
  lo:) ;; *:) echo "the network is reachable ($card)"; exit 1;;
esac; done < /proc/net/dev
echo isolated
exec "$0" --version`;

export async function probeBubblewrap(view: DiskView): Promise<BubblewrapProbe> {
  if (process.platform !== 'linux') return { kind: 'unsupported', platform: process.platform };
  const path = await findBubblewrap(view);
  if (path === undefined) return { kind: 'missing' };
  const output = run(path, [...sandboxFlags(), '/bin/sh', '-c', insideProgram, path]);
  const [verdict = '', version = ''] = output.trim().split('\n');
  if (verdict === 'isolated') {
    return { kind: 'works', path, version: version.replace(/^bubblewrap\s+/, '') };
  }
  return { kind: 'refused', says: verdict, fix: fixFor(output) };
}

async function findBubblewrap(view: DiskView): Promise<string | undefined> {
  for (const place of places) {
    const path = `${place}/bwrap`;
    if ((await view.stat(path)) !== undefined) return path;
  }
  return undefined;
}

// Root makes no user namespace: it would map the host's uid 0 into the sandbox.
function sandboxFlags(): string[] {
  const asRoot = process.getuid?.() === 0;
  return [
    ...(asRoot ? [] : ['--unshare-user']),
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--remount-ro', '/', '--'],
  ];
}

// Loaded when needed and run synchronously: the module and a spawn with pipes each cost
// a short command a tenth of its time, and whoever probes has nothing better to do.
function run(path: string, args: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // An empty environment, because /proc/1/environ in the sandbox shows the launcher's.
  const options = { env: {}, timeout: deadlineMs, encoding: 'utf8' } as const;
  const { stdout, stderr, error } = spawnSync(path, args, options);
  return stdout + stderr || (error?.message ?? '');
}

function fixFor(output: string): string {
  if (/uid map|user namespace|Operation not permitted|Permission denied/i.test(output)) {
    return 'allow unprivileged user namespaces for bwrap (on Ubuntu 24.04 and later an AppArmor profile for /usr/bin/bwrap; in a container --security-opt seccomp=unconfined)';
  }
  return 'bwrap --version, then reinstall bubblewrap';
}
