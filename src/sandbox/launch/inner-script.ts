/**
 * The scripts that run inside, before the program.
 *
 * I1. Only text that we quoted is ever part of a script.
 * I2. The waiting script says that it is there by one byte on its output, then waits for the rest
 *     of its life on descriptor 3. The daemon, which hears the byte, knows that the sandbox stands.
 * I3. Every limit is set before the program exists, and none can be raised afterwards.
 * I4. The program inherits descriptors 0 to 2 and no others.
 * I5. Where the first process inside is ours (W5 of launcher-arguments.ts), it has the limits
 *     before it starts anything, so that nothing inside is ever without them.
 */
import type { SandboxCommand, SandboxLimits, SeenPath } from '../../kernel/sandbox.ts';
import { shellQuoted } from '../../kernel/text/quote.ts';
import { becomeArguments, nodeInside, workspaceInside } from './launcher-arguments.ts';

/** I2 */
export const readyByte = 6;

/** Where the proxy of a sandbox listens inside. */
export const proxyPort = 3128;

/** So that programs find it by themselves. */
export function proxyVariables(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const nowhere = 'localhost,127.0.0.1,::1';
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
    ...{ NO_PROXY: nowhere, no_proxy: nowhere, NODE_USE_ENV_PROXY: '1' },
  };
}

// Opens the listener and hands it to the daemon, which accepts in here from then on.
const listenerSource = `const s=process.getBuiltinModule('node:net').createServer();s.listen(${proxyPort},'127.0.0.1',511,()=>process.send('listening',s,{},()=>{process.disconnect();s.close()}))`;

export interface WaitingOptions {
  /** The Node that opens the listener, as it is called inside; undefined: there is none. */
  readonly listenerBy: string | undefined;
}

/** What `commandScript` counts on. */
export const lineEnd = "n='\n'; ";

// Not `. /dev/fd/3`, which opens the pipe anew and waits for ever when its writer was quicker.
// It is one line, in which $n stands for the end of one: to put lines together takes a shell
// longer the more there are.
const readAndRun = `${lineEnd}IFS= read -r s <&3; eval "$s"`;

/** The arguments of `/bin/sh`. The channel of the listener is descriptor 7. */
export function waitingShell({ listenerBy }: WaitingOptions): readonly string[] {
  const ready = `cd ${workspaceInside} || exit 125; printf '\\00${readyByte}'; ${readAndRun}`;
  if (listenerBy === undefined) return ['/bin/sh', '-c', ready];
  const listen = `(cd / && NODE_CHANNEL_FD=7 exec "$1" -e "$2") 3<&- </dev/null >&2`;
  const script = `${listen} || exit 125; exec 7>&-; ${ready}`;
  return ['/bin/sh', '-c', script, 'sh', listenerBy, listenerSource];
}

/** The Node that is called inside, given where it is on the host. */
export function nodeCalled(mounted: string | undefined, execPath: string): string {
  return mounted === undefined ? execPath : nodeInside;
}

export interface InnerLimits {
  readonly limits: SandboxLimits;
  /** Without control groups, what single processes can be held to. */
  readonly byProcess: boolean;
  readonly cpuSeconds: number | undefined;
}

export interface FirstOptions extends Pick<InnerLimits, 'limits' | 'byProcess'> {
  /** As in the view; undefined under a daemon of an ordinary user. */
  readonly uid: number | undefined;
}

// Itself, and the threads of the Node that opens the listener.
const besideProgram = 16;

/**
 * All words that the launcher starts inside, given those of the shell that becomes the program. The
 * first process waits in the foreground for what it starts, with whatever is left to it by others,
 * and ends with the same code. What it says of a signal is not read.
 */
export function insideWords(
  shell: readonly string[],
  { uid, limits, byProcess }: FirstOptions,
): readonly string[] {
  const words = [...becomeArguments(uid), ...shell];
  if (uid !== undefined) return words;
  const most = { ...limits, processes: limits.processes + besideProgram };
  // I5
  const lines = limitLines({ limits: most, byProcess, cpuSeconds: undefined });
  // Opened to be read: in a full workspace nothing can be opened in another way.
  const script = [...lines, 'exec 9>&2 2</dev/null', '(exec "$@" 2>&9 9>&-)', 'exit $?'].join('; ');
  return ['/bin/sh', '-c', script, 'sh', ...words];
}

/** What the waiting shell is told: set the limits, then become the program. */
export function commandScript(command: SandboxCommand, inner: InnerLimits): string {
  const { argv, cwd, env } = command;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // Not by `export`: a shell has names of its own, and stops at what they cannot be.
  const words = variables.length === 0 ? argv : ['/usr/bin/env', ...variables, ...argv];
  return [
    // I4
    'exec 3<&-',
    ...limitLines(inner),
    ...(cwd === workspaceInside ? [] : [`cd ${lineQuoted(cwd)} || exit 125`]),
    'unset OLDPWD; umask 022',
    `exec ${words.map(lineQuoted).join(' ')}\n`,
  ].join('; ');
}

export interface BodyShell extends InnerLimits {
  /** The Node that opens the listener, as it is called inside. */
  readonly listenerBy: string;
  readonly channel: number;
  /** What has to be what was looked at, even if it was swapped in between. */
  readonly seen: readonly SeenPath[];
}

/** Where the program of an agent finds its home, and what is its in it. */
export const homeInside = '/aos';

/**
 * Like waitingShell(), for a program whose command is known when its sandbox is made: the script of
 * a shell, and what it is called with. Nothing of the command is part of the script.
 */
export function bodyShell(
  { argv, cwd }: Pick<SandboxCommand, 'argv' | 'cwd'>,
  { listenerBy, channel, seen, ...inner }: BodyShell,
): { readonly script: string; readonly argv: readonly string[] } {
  const script = [
    // Without the program's variables: none of them has a say in what opens the listener.
    `(cd / && exec /usr/bin/env -i NODE_CHANNEL_FD=${channel} "$1" -e "$2") </dev/null >/dev/null || exit 125`,
    // I4
    `exec ${channel}>&-`,
    ...limitLines(inner),
    ...seen.flatMap(identityLine),
    // Scripts that know only the usual place of a home find this one there.
    `cd ${workspaceInside} || exit 125`,
    `[ ! -d ${homeInside} ] || [ -L .agent-relay ] || ln -s ${homeInside} .agent-relay 2>/dev/null`,
    'cd "$3" || exit 125',
    'shift 3',
    'unset OLDPWD',
    'exec "$@"',
  ].join('\n');
  const words = [listenerBy, listenerSource, cwd, ...argv];
  return { script, argv: ['/bin/sh', '-c', script, 'sh', ...words] };
}

// I1
function identityLine({ to, identity }: SeenPath): readonly string[] {
  if (identity === undefined) return [];
  const [path, wanted] = [shellQuoted(to), shellQuoted(identity)];
  const sorry = shellQuoted(`${to} was swapped while this was started`);
  return [
    `[ "$(/usr/bin/stat -c %d:%i ${path})" = ${wanted} ] || { echo ${sorry} >&2; exit 125; }`,
  ];
}

const blockBytes = 512;
// A program's own reservations, as those of a JavaScript engine, are no use of memory.
const reservedKiB = 2 * 2 ** 20;

// I3: in a shell that is called sh, -f counts in blocks of 512 bytes. The number of processes
// is -p to some shells and -u to others.
function limitLines({ limits, byProcess, cpuSeconds }: InnerLimits): readonly string[] {
  const { fileBytes, openFiles, processes, memoryBytes } = limits;
  const always = [
    'ulimit -c 0 || exit 125',
    `ulimit -f ${Math.ceil(fileBytes / blockBytes)} || exit 125`,
    `ulimit -n ${openFiles} || exit 125`,
  ];
  if (!byProcess) return always;
  return [
    ...always,
    // Nothing is opened for it: in a full workspace nothing can be.
    `{ ulimit -p ${processes} || ulimit -u ${processes}; } 2>&- || exit 125`,
    `ulimit -d ${Math.ceil(memoryBytes / 1024) + reservedKiB} || exit 125`,
    ...(cpuSeconds === undefined ? [] : [`ulimit -t ${cpuSeconds} || exit 125`]),
  ];
}

/** I1, in a line of the waiting shell. */
function lineQuoted(text: string): string {
  return shellQuoted(text).replaceAll('\n', `'"$n"'`);
}
