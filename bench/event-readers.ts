/** Many connections that follow the events of a server, read as barely as can be. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReaderDoor {
  readonly at: NetConnectOpts;
  /** As the header says it. */
  readonly host?: string;
  readonly count: number;
  readonly handle?: string;
  /** No more than so many come in a second, where the door does not let in more. */
  readonly perSecond?: number;
}

export interface Readers extends AsyncDisposable {
  /** Resolves when everybody has got one more event. */
  untilAllHear(): Promise<void>;
}

/** Resolves when everybody is told that it follows. */
export async function openReaders(doors: readonly ReaderDoor[]): Promise<Readers> {
  const readers: Reader[] = [];
  for (const { at, host = 'localhost', count, handle, perSecond } of doors) {
    const authorization = handle === undefined ? '' : `Authorization: Bearer ${handle}\r\n`;
    const headers = `Host: ${host}\r\n${authorization}`;
    for (let opened = 0; opened < count; opened++) {
      const reader = new Reader(connect(at), headers);
      await reader.follows;
      readers.push(reader);
      if (perSecond !== undefined) await sleep(1000 / perSecond);
    }
  }
  return {
    async untilAllHear() {
      await Promise.all(readers.map((reader) => reader.hearsOne()));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}

class Reader {
  readonly follows: Promise<void>;
  readonly #socket: Socket;
  readonly #gone: Promise<never>;
  #text = '';
  #heard = Promise.withResolvers<void>();

  constructor(socket: Socket, headers: string) {
    this.#socket = socket;
    const follows = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<never>();
    gone.promise.catch(() => {});
    this.#gone = gone.promise;
    socket.on('error', () => {});
    socket.on('close', () => gone.reject(new Error(`a reader was cut off: ${this.#text}`)));
    socket.setEncoding('latin1').on('data', (text) => {
      this.#text += text;
      for (const block of this.#takeBlocks()) {
        if (block.includes('event: ')) this.#heard.resolve();
        else if (block.includes(': still here')) follows.resolve();
      }
    });
    this.follows = Promise.race([follows.promise, gone.promise]);
    socket.write(`GET /api/v1/events HTTP/1.1\r\n${headers}\r\n`);
  }

  hearsOne(): Promise<void> {
    this.#heard = Promise.withResolvers<void>();
    return Promise.race([this.#heard.promise, this.#gone]);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.#gone.catch(() => {});
  }

  /** What came whole. */
  #takeBlocks(): readonly string[] {
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    return blocks;
  }
}
