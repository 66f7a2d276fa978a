/** What a program gets from `import { AgentTransfer } from 'agent-os/transfer'`. */
import { join, resolve } from 'node:path';
import { worksFor } from '../../blobs/seal/stretch.ts';
import { type Client, connectTo, createClient } from '../../gateway/client/client.ts';
import { socketTransport, withHandle } from '../../gateway/client/transport.ts';
import { AosError } from '../../kernel/errors.ts';
import { hasReached, type TransferAck } from '../../kernel/transfer/transfer.ts';
import type { TransferView, UseHome } from '../../transfer/calls.ts';
import { openSource } from '../../transfer/client/disk-source.ts';
import {
  memorySource,
  type Received,
  type ReceiveOptions,
  type SendOptions,
  type SentFile,
  type TransferFilter,
} from '../../transfer/client/options.ts';
import { begunIn } from '../../transfer/client/part.ts';
import { type ReceiveDeps, receive, receiveTo } from '../../transfer/client/receive.ts';
import { sendSource, type TransferSendDeps } from '../../transfer/client/send.ts';
import { sendStream } from '../../transfer/client/send-stream.ts';
import { type AgentDoor, agentDoorOf, loadConfig, processEnvironment } from '../config/config.ts';
import { composeEngines, type Engines } from '../home/compose.ts';
import { useHome } from '../home/use-home.ts';
import { version } from '../version.ts';

export interface AgentTransferOptions {
  /** As whom files are sent and received; the owner where nothing is said. */
  readonly sender?: string | undefined;
  /** The home folder; as for every command where it is not given. */
  readonly home?: string | undefined;
  /** For an agent: its socket, and its handle. AOS_SOCKET and AOS_HANDLE where not given. */
  readonly socket?: string | undefined;
  readonly handle?: string | undefined;
  /** How the home is reached, where that is not the usual way. */
  readonly use?: UseHome<Client> | undefined;
}

export interface WaitOptions {
  /** For ever where nothing is said. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const askAgainMs = 200;
const pageSize = 1000;

/**
 * Files to and from other agents.
 *
 * `await new AgentTransfer({ sender: 'samantha' }).send('report.md', { to: 'jared' })`
 */
export class AgentTransfer {
  readonly #engines: Engines = composeEngines();
  readonly #use: UseHome<Client>;
  readonly #as: string | undefined;
  readonly #isOwner: boolean;

  constructor(options: AgentTransferOptions = {}) {
    const door = doorOf(options);
    this.#isOwner = door === undefined;
    // A program that comes with a handle is known by it, and refused as any other.
    this.#as = options.sender;
    this.#use = options.use ?? usual(this.#engines, options.home, door);
  }

  /** A file or a folder. */
  async send(path: string, options: SendOptions): Promise<SentFile> {
    const { name, links, signal } = options;
    await using source = await openSource(this.#engines.disk, path, { name, links, signal });
    return await sendSource(this.#sendDeps(), source, options);
  }

  /** What is in memory, or comes from a stream. */
  async sendBuffer(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    filename: string,
    options: SendOptions,
  ): Promise<SentFile> {
    if (!(bytes instanceof Uint8Array)) {
      return sendStream(this.#sendDeps(), bytes, filename, options);
    }
    await using source = memorySource(filename, bytes);
    return await sendSource(this.#sendDeps(), source, options);
  }

  /** What was sent to this agent and is not downloaded yet; the oldest first. */
  async listPending(filter: TransferFilter = {}): Promise<TransferView[]> {
    return (await this.#list('received', { status: 'pending', ...filter })).reverse();
  }

  /**
   * What was downloaded, but for its last step: a process was killed when the sender had been
   * told and the file had no name yet. `download` gives it the name.
   */
  async listUnnamed(dest: string): Promise<TransferView[]> {
    const begun = new Set(await begunIn(this.#engines.disk, resolve(dest)));
    if (begun.size === 0) return [];
    const received = await this.#list('received', { status: 'downloaded' });
    return received.filter(({ id }) => begun.has(id)).reverse();
  }

  /** What this agent has sent; the newest first. */
  listSent(filter: TransferFilter = {}): Promise<TransferView[]> {
    return this.#list('sent', filter);
  }

  /** What was sent to this agent, whatever became of it; the newest first. */
  listReceived(filter: TransferFilter = {}): Promise<TransferView[]> {
    return this.#list('received', filter);
  }

  async #list(box: 'received' | 'sent', filter: TransferFilter): Promise<TransferView[]> {
    const { metadata, ...words } = filter;
    const query = {
      ...{ as: this.#as, box, limit: pageSize },
      ...words,
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    };
    return this.#use(async (client) => {
      const found: TransferView[] = [];
      let before: string | undefined;
      do {
        const page = await client.transfers({ ...query, ...(before && { before }) });
        found.push(...page.items);
        before = page.next ?? undefined;
      } while (before !== undefined);
      return found;
    });
  }

  /** Into a folder: where the program runs, unless `dest` says another. */
  download(id: string, options: ReceiveOptions = {}): Promise<Received> {
    return receive(this.#receiveDeps(), id, { ...options, dest: options.dest ?? '.' });
  }

  /** To a consumer of the bytes; when the sink resolves, their memory is used again. */
  downloadTo(
    id: string,
    sink: (bytes: Uint8Array) => Promise<void>,
    options: Omit<ReceiveOptions, 'dest' | 'name' | 'force'> = {},
  ): Promise<TransferView> {
    return receiveTo(this.#receiveDeps(), id, sink, options);
  }

  status(id: string): Promise<TransferView> {
    return this.#use((client) => client.transfer(id, { as: this.#as }));
  }

  /** Until the transfer has come so far; refused when it never will. */
  async waitFor(id: string, ack: TransferAck, options: WaitOptions = {}): Promise<TransferView> {
    const { clock } = this.#engines;
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
    const deadline = clock.monotonicMs() + timeoutMs;
    for (;;) {
      // Asked again and again: where no daemon runs, a wait would keep the home from others.
      const query = { as: this.#as, wait_for: ack, wait_ms: 0 };
      const transfer = await this.#use((client) => client.transfer(id, query, { signal }));
      if (hasReached(transfer.ack, ack) === true) return transfer;
      const leftMs = deadline - clock.monotonicMs();
      if (leftMs <= 0) throw tooLate(transfer, ack);
      await clock.sleep(Math.min(askAgainMs, leftMs), signal);
    }
  }

  #sendDeps(): TransferSendDeps {
    return { ...this.#engines, ...this.#common(), isOwner: this.#isOwner };
  }

  #receiveDeps(): ReceiveDeps {
    return { ...this.#engines, ...this.#common(), tree: this.#engines.treeDisk };
  }

  #common() {
    const openWorks = (sizeBytes: number | null) =>
      worksFor(sizeBytes, this.#engines.openStretches);
    return { use: this.#use, as: this.#as, openWorks };
  }
}

function tooLate({ filename, ack }: TransferView, wanted: TransferAck): AosError {
  return new AosError('transfer.timeout', {
    message: `"${filename}" is ${ack} and not yet ${wanted}`,
    fix: 'Wait longer, or look with: agent-transfer status ID',
  });
}

/** Its own where it is given; else the one that the program's agent has. */
function doorOf({ home, socket, handle, use }: AgentTransferOptions): AgentDoor | undefined {
  if (use !== undefined) return undefined;
  if (socket !== undefined && handle !== undefined) return { socket, handle };
  if (socket !== undefined || handle !== undefined) {
    throw new AosError('usage.bad-value', {
      message: 'An agent is reached by its socket and its handle, and one of them is missing',
      fix: 'new AgentTransfer({ socket, handle }), or neither of them to act as the owner',
    });
  }
  // A caller that names a home means that one.
  return home === undefined ? agentDoorOf(processEnvironment()) : undefined;
}

/** With a handle over its own socket; else the daemon's, or the home opened for that long. */
function usual(
  engines: Engines,
  home: string | undefined,
  door: AgentDoor | undefined,
): UseHome<Client> {
  const { clock } = engines;
  if (door !== undefined) {
    const transport = withHandle(socketTransport(clock, door.socket), door.handle);
    const client = createClient({ clock, version, transport });
    return (work) => work(client);
  }
  return async (work) => {
    const flags = home === undefined ? [] : [{ key: 'home', text: home, flag: '--home' } as const];
    const environment = processEnvironment();
    const { settings } = await loadConfig({ view: engines.disk, environment, flags });
    const client = connectTo({ clock, version }, join(settings.home, 'run', 'aos.sock'));
    return useHome({ engines, settings, client }, { holder: 'AgentTransfer' }, work);
  };
}
