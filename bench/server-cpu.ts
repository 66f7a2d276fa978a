import { readFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';

export interface Server {
  readonly pid: number;
  readonly socket: string;
}

export interface Load {
  readonly path: string;
  /** JSON that is posted; without it, it is a GET. */
  readonly body?: string;
  readonly requests: number;
  /** Kept open, each with one request at a time. */
  readonly connections: number;
}

/** CPU microseconds that the server's process takes for one request. */
export async function cpuPerRequest(
  { pid, socket }: Server,
  { path, body, requests, connections }: Load,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = cpuMs(pid);
  let left = requests;
  const askInTurn = async (): Promise<void> => {
    while (left-- > 0) await answered(agent, { socketPath: socket, path, body });
  };
  try {
    await Promise.all(Array.from({ length: connections }, askInTurn));
    return (1000 * (cpuMs(pid) - before)) / requests;
  } finally {
    agent.destroy();
  }
}

interface Asked {
  readonly socketPath: string;
  readonly path: string;
  readonly body: string | undefined;
}

function answered(agent: Agent, { socketPath, path, body }: Asked): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = ask({ agent, socketPath, path, method, headers }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 || response.statusCode === 202
          ? resolve()
          : reject(new Error(`"${path}" is answered with ${response.statusCode}`)),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

// The kernel counts in hundredths of a second for everybody.
const tickMs = 10;

/** User and system time of a process and all its threads so far. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name, which may have spaces in it: utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return tickMs * (Number(fields[11]) + Number(fields[12]));
}
