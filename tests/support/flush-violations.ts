/**
 * Reads what `strace -f -y` wrote and tells which answers were given too early. Between
 * the question and its answer something must have been written to the log, and at the
 * answer all that was written to it must have been flushed.
 */

export interface Exchanges {
  /** The name of the log's file. */
  readonly log: string;
  /** A line of the trace that asks; the first group says which question it is. */
  readonly asks: RegExp;
  /** The line that answers it. */
  readonly answers: RegExp;
}

/** What strace is to write down. */
export const tracedCalls =
  'trace=fsync,fdatasync,read,recvfrom,recvmsg,write,writev,pwrite64,pwritev,sendto,sendmsg';

/** A call that strace tells in two lines, because another process got in between. */
interface BegunCall {
  readonly text: string;
  /** How many writes to the log there had been when it began. */
  readonly written: number;
}

/** Every answer that came too early, one line each; none is what we want. */
export function flushViolations(trace: string, exchanges: Exchanges): string[] {
  const reading = new TraceReading(exchanges);
  for (const line of trace.split('\n')) reading.take(line);
  return reading.answers === 0 ? ['the trace shows no answer'] : reading.violations;
}

class TraceReading {
  readonly violations: string[] = [];
  answers = 0;
  readonly #exchanges: Exchanges;
  /** Which question was asked after how many writes. */
  readonly #asked = new Map<string, number>();
  readonly #begun = new Map<string, BegunCall>();
  #written = 0;
  #flushed = 0;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  take(line: string): void {
    const { log, asks, answers } = this.#exchanges;
    const answer = answers.exec(line)?.[1];
    if (answer !== undefined) this.#answer(answer);
    const call = this.#callOf(line);
    if (line.endsWith(unfinished)) return;
    const question = asks.exec(call.text)?.[1];
    if (question !== undefined) this.#asked.set(question, this.#written);
    // What was written while it was under way, a flush may have missed.
    if (flushed.test(call.text) && call.text.includes(`${log}>`)) {
      this.#flushed = Math.max(this.#flushed, call.written);
    }
  }

  /** Counts a write to the log when it begins, and puts the two lines of a call together. */
  #callOf(line: string): BegunCall {
    const { log } = this.#exchanges;
    const process = /^\d*/.exec(line)?.[0] ?? '';
    const begun = this.#begun.get(process);
    const resumed = /^\d*\s*<\.\.\. \w+ resumed>/.exec(line)?.[0];
    if (resumed !== undefined && begun !== undefined) {
      this.#begun.delete(process);
      return { ...begun, text: begun.text + line.slice(resumed.length) };
    }
    if (/^\d*\s*p?write/.test(line) && line.includes(`${log}>`)) this.#written++;
    const call = { text: line, written: this.#written };
    if (line.endsWith(unfinished)) {
      this.#begun.set(process, { ...call, text: line.slice(0, -unfinished.length) });
    }
    return call;
  }

  #answer(which: string): void {
    this.answers++;
    const askedAfter = this.#asked.get(which);
    this.#asked.delete(which);
    if (askedAfter === undefined) {
      this.violations.push(`${which} was answered and never asked`);
    } else if (askedAfter === this.#written) {
      this.violations.push(`${which} was answered before anything was written`);
    } else if (this.#flushed < this.#written) {
      this.violations.push(`${which} was answered before what was written was flushed`);
    }
  }
}

const unfinished = '<unfinished ...>';
const flushed = /^\d*\s*f(?:data)?sync\(.*\)\s*= 0$/;
