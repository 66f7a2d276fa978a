/**
 * Is there a bubblewrap that really isolates? A small program is started in a
 * sandbox; it must be alone, without a network, and see nothing of the host but
 * its programs.
 */
import type { ChildProcess } from 'node:child_process';
import type { Clock, DiskView } from '../../kernel/ports.ts';

export type BubblewrapProbe =
  | { readonly kind: 'works'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly says: string; readonly fix: string }
  | { readonly kind: 'unsupported'; readonly platform: string };

// Not from PATH: what guards agents is not looked up where a shell profile says.
const places = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];

const deadlineMs = 10_000;

// Not 0, which a launcher that runs nothing at all ends with, too.
const isolatedExitCode = 42;

// Each line fails the probe if the wall it looks at is not there. Nothing but the
// shell itself, because every program started costs the user time.
const insideProgram = `
test ! -e /root && test ! -e /home && test ! -e /etc/shadow || { echo "the host's files are visible"; exit 1; }
(: > /outside) 2>/dev/null && { echo "the root folder can be written"; exit 1; }
test $$ -le 2 || { echo "the host's processes are visible"; exit 1; }
while read -r card _; do case $card in
  lo:) ;; *:) echo "the network is reachable ($card)"; exit 1;;
esac; done < /proc/net/dev
exit ${isolatedExitCode}`;

export interface ProbeDeps {
  readonly disk: DiskView;
  readonly clock: Clock;
}

/** The signal stops the probe, and what it started, with the signal's reason. */
export async function probeBubblewrap(
  { disk, clock }: ProbeDeps,
  signal: AbortSignal,
): Promise<BubblewrapProbe> {
  if (process.platform !== 'linux') return { kind: 'unsupported', platform: process.platform };
  const path = await findBubblewrap(disk);
  if (path === undefined) return { kind: 'missing' };
  // Pipes cost a short command a tenth of its time, so words are only asked for when
  // there may be some.
  const ending = await run(clock, path, { stdio: 'ignore', signal });
  if (ending.kind === 'isolated') return { kind: 'works', path };
  const told =
    ending.kind === 'refused' ? await run(clock, path, { stdio: 'pipe', signal }) : ending;
  const says = wordsFor(told);
  return { kind: 'refused', says, fix: fixFor(says) };
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

type Ending =
  | { readonly kind: 'isolated' }
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'not-started' }
  | { readonly kind: 'too-late' };

async function run(
  clock: Clock,
  path: string,
  options: { readonly stdio: 'ignore' | 'pipe'; readonly signal: AbortSignal },
): Promise<Ending> {
  options.signal.throwIfAborted();
  const ended = new AbortController();
  // Loaded here, because most commands start no program and it takes its time.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(path, [...sandboxFlags(), '/bin/sh', '-c', insideProgram], {
    stdio: options.stdio,
    // An empty environment, because /proc/1/environ in the sandbox shows the launcher's.
    env: {},
  });
  const stop = () => child.kill('SIGKILL');
  options.signal.addEventListener('abort', stop);
  const late = clock.sleep(deadlineMs, ended.signal).then(stop, () => false);
  try {
    const ending = await endingOf(child);
    options.signal.throwIfAborted();
    return ending;
  } finally {
    options.signal.removeEventListener('abort', stop);
    ended.abort();
    await late;
  }
}

function endingOf(child: ChildProcess): Promise<Ending> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  return new Promise((resolve) => {
    child.on('error', () => resolve({ kind: 'not-started' }));
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ kind: 'too-late' });
      else if (code === isolatedExitCode) resolve({ kind: 'isolated' });
      else resolve({ kind: 'refused', words: said.trim().split('\n')[0] ?? '' });
    });
  });
}

function wordsFor(ending: Ending): string {
  switch (ending.kind) {
    case 'not-started':
      return 'it cannot be started';
    case 'too-late':
      return `it did not end within ${deadlineMs / 1000} s`;
    case 'refused':
      return ending.words || 'it said nothing';
    case 'isolated':
      return 'it works only now and then';
  }
}

function fixFor(words: string): string {
  if (/uid map|user namespace|Operation not permitted|Permission denied/i.test(words)) {
    return 'allow unprivileged user namespaces for bwrap (on Ubuntu 24.04 and later an AppArmor profile for /usr/bin/bwrap; in a container --security-opt seccomp=unconfined)';
  }
  return 'reinstall bubblewrap: sudo apt-get install --reinstall bubblewrap';
}
