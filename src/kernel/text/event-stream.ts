/** Server-sent events, read as their bytes come in, by the rules of the HTML standard. */
import { AosError } from '../errors.ts';
import { must } from '../must.ts';

export interface StreamedEvent {
  /** `message` when the stream did not say. */
  readonly event: string;
  readonly data: string;
  /** The place in the stream once this has been taken. */
  readonly id: string | undefined;
}

const defaultLimitCharacters = 16 * 1024 * 1024;

export class EventStreamParser {
  // The decoder keeps the beginning of a character whose end has not come yet, and
  // takes the byte order mark away.
  readonly #decoder = new TextDecoder();
  readonly #limitCharacters: number;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #size = 0;
  #id: string | undefined;
  #lastId: string | undefined;

  constructor(limitCharacters: number = defaultLimitCharacters) {
    this.#limitCharacters = limitCharacters;
  }

  /** The place in the stream: everything up to it has been handed out. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** The events that these bytes complete. What stands at the end unfinished is kept. */
  push(bytes: Uint8Array): StreamedEvent[] {
    const events: StreamedEvent[] = [];
    let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    // A CR at the very end may be the first half of CR LF, which is one line end.
    const held = text.endsWith('\r') ? '\r' : '';
    if (held !== '') text = text.slice(0, -1);
    const lines = text.split(/\r\n|\n|\r/);
    this.#rest = must(lines.pop(), 'what stands behind the last line end') + held;
    for (const line of lines) {
      if (line !== '') this.#takeLine(line);
      else this.#dispatch(events);
    }
    if (this.#size + this.#rest.length > this.#limitCharacters) throw tooLong();
    return events;
  }

  #takeLine(line: string): void {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    this.#size += value.length;
    if (this.#size > this.#limitCharacters) throw tooLong();
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }

  // A block without data moves the place and is no event.
  #dispatch(events: StreamedEvent[]): void {
    if (this.#id !== undefined) this.#lastId = this.#id;
    if (this.#data.length > 0) {
      const event = this.#event === '' ? 'message' : this.#event;
      events.push({ event, data: this.#data.join('\n'), id: this.#lastId });
    }
    this.#event = '';
    this.#data = [];
    this.#size = 0;
  }
}

function tooLong(): AosError {
  return new AosError('gateway.strange-answer', {
    message: "The daemon's answer cannot be understood: an event is too long",
    fix: 'aos down && aos up --detach',
  });
}
