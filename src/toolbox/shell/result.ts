/** What the caller gets to see of a program that ran. */

import { decodeUtf8, wholeCharacters } from '../../files/text-bytes.ts';
import type { OutputStream, SandboxResult } from '../../kernel/sandbox.ts';

export interface Ran {
  readonly program: string;
  readonly result: SandboxResult;
  readonly ms: number;
}

/** At most so many bytes of JSON. */
export function resultOf({ program, result, ms }: Ran, mostBytes: number): unknown {
  const { end, met } = result;
  const facts = {
    program,
    exit_code: end.kind === 'exited' ? end.code : null,
    signal: end.kind === 'killed' ? end.signal : null,
    stopped_by: end.kind === 'stopped' ? end.by : null,
    limits_met: met,
    ms,
  };
  // Text grows when it becomes JSON: by a quarter less each time, until it has room.
  for (let share = 1; ; share *= 3 / 4) {
    const cut = (bytes: Uint8Array) => bytes.subarray(0, Math.floor(bytes.length * share));
    const streams = { stdout: cut(result.stdout), stderr: cut(result.stderr) };
    const truncated = result.truncated || share < 1;
    const answer = {
      ...facts,
      ...streamOf('stdout', streams.stdout, truncated),
      ...streamOf('stderr', streams.stderr, truncated),
      truncated,
    };
    if (Buffer.byteLength(JSON.stringify(answer)) <= mostBytes) return answer;
  }
}

/** As text where it is UTF-8. */
function streamOf(
  name: OutputStream,
  bytes: Uint8Array,
  isCut: boolean,
): Readonly<Record<string, string>> {
  const text = decodeUtf8(wholeCharacters(bytes, { start: false, end: isCut }));
  if (text !== undefined) return { [name]: text };
  return { [`${name}_base64`]: Buffer.from(bytes).toString('base64') };
}
