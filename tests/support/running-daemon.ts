/** The real `aos up` on a home folder, in the foreground as a process of its own. */
import { spawn } from 'node:child_process';
import { version } from '../../src/app/version.ts';
import { realClock } from '../../src/engines/clock.ts';
import { type Client, connectTo } from '../../src/gateway/client/client.ts';
import { programMs } from './limits.ts';
import { launcher } from './run-aos.ts';

export interface DaemonEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly socket: string;
  readonly url: string;
  /** As the owner, over the socket. */
  readonly client: Client;
  readonly ended: Promise<DaemonEnd>;
  /** Sends a signal, and does not wait for what it does. */
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until it has stopped by itself. */
  stop(): Promise<DaemonEnd>;
}

export interface DaemonChoices {
  /** More arguments of `aos up`. */
  readonly args?: readonly string[];
  /** A program and its arguments that start Node in their turn, e.g. `['strace', …]`. */
  readonly through?: readonly string[];
}

/** Resolves when it is ready; throws with its words when it ends before that. */
export async function startDaemon(
  home: string,
  { args = [], through = [] }: DaemonChoices = {},
): Promise<RunningDaemon> {
  const command = [...through, process.execPath, launcher];
  const words = ['--json', '--home', home, 'up', '--port', '0', ...args];
  const [file = '', ...rest] = [...command, ...words];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
  const ended = new Promise<DaemonEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  let heard = '';
  const ready = new Promise<DaemonAddress>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
      const address = addressIn(heard);
      if (address !== undefined) resolve(address);
    });
  });
  try {
    const early = ended.then(({ code }) => Promise.reject(new Error(`ended (${code}): ${heard}`)));
    const address = await within(programMs, 'ready', Promise.race([ready, early]));
    return running(address, ended);
  } catch (failure) {
    child.kill('SIGKILL');
    await ended;
    throw failure;
  }
}

interface DaemonAddress {
  readonly pid: number;
  readonly socket: string;
  readonly url: string;
}

function addressIn(text: string): DaemonAddress | undefined {
  const [line, rest] = text.split('\n', 2);
  if (line === undefined || rest === undefined) return undefined;
  const printed = JSON.parse(line);
  return printed.ok === true ? printed.data : undefined;
}

function running({ pid, socket, url }: DaemonAddress, ended: Promise<DaemonEnd>): RunningDaemon {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const signal = (name: NodeJS.Signals): void => {
    if (!isOver) process.kill(pid, name);
  };
  const kill = async (): Promise<void> => {
    signal('SIGKILL');
    await ended;
  };
  return {
    pid,
    socket,
    url,
    client: connectTo({ clock: realClock, version }, socket),
    ended,
    signal,
    kill,
    async stop() {
      signal('SIGTERM');
      return await within(programMs, 'stopped', ended);
    },
    [Symbol.asyncDispose]: kill,
  };
}

// What a user has set must not steer a test; the mark lets the leak check find the process.
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'AOS_TEST_MARK' || !name.startsWith('AOS_'),
  );
  return Object.fromEntries(kept);
}

async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = realClock
    .sleep(ms, stop.signal)
    .then(() => Promise.reject(new Error(`the daemon was not ${what} after ${ms} ms`)));
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
    late.catch(() => {});
  }
}
