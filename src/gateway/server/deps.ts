import type { ModelCatalog } from '../../kernel/agent/model.ts';
import type { Clock, Disk, Instant, Random } from '../../kernel/ports.ts';
import type { Programs } from '../../kernel/programs.ts';
import type { SandboxState } from '../../kernel/sandbox.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { Operations } from '../../operations/operations.ts';
import type { Relay } from '../../relay/relay.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import type { CapabilityManager } from '../../security/grants/capability-manager.ts';
import type { Grants } from '../../security/grants/grants.ts';
import type { Secrets } from '../../security/secrets/secrets.ts';
import type { ToolCalls } from '../../tools/call.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Transfers } from '../../transfer/transfers.ts';
import type { Answer, Body } from '../contract/contract.ts';
import type { CountedRelay, CountedTransfers } from './metrics.ts';

/** What the gateway is made of. `app` fills it. */
export interface GatewayDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly capabilities: CapabilityManager;
  readonly secrets: Secrets;
  readonly tools: ToolRegistry;
  readonly calls: ToolCalls;
  readonly memory: MemoryManager;
  /** Undefined where no daemon runs: then agents can be looked at and not moved. */
  readonly runtime?: AgentRuntime | undefined;
  /** To tell, where no daemon runs, what became of the programs that one has started. */
  readonly programs?: Pick<Programs, 'adopt'> | undefined;
  readonly models?: ModelCatalog | undefined;
  readonly relay: Relay;
  readonly attachments: Attachments;
  /** What the relay has counted; shown with the gateway's own metrics. */
  readonly relayMetrics?: CountedRelay;
  readonly transfers: Transfers;
  /** What was transferred, shown in the same place. */
  readonly transferMetrics?: CountedTransfers;
  readonly operations: Operations;
  /** In 1 and 2 operations carry their artifacts. */
  readonly artifactPhase: number;
  /** Whether outsiders may send signatures that can be used again. */
  readonly legacySignatures: boolean;
  /** `none`, or where a proxy shows this gateway. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  /** The home folder, absolute. */
  readonly home: string;
  /** `home` without symlinks on its path. */
  readonly realHome: string;
  readonly version: string;
  readonly log: GatewayLog;
  readonly owner: { readonly address: string; sign(text: string): string };
  readonly epoch: number;
  readonly startedAt: Instant;
  /** Where the socket of an agent goes; undefined when agents get none, as when embedded. */
  agentSocket(name: string): string | undefined;
  /** Which wall there is around programs; undefined where none are run. */
  sandboxState?(): Promise<SandboxState>;
  /** The socket of an agent was made anew: what knows it by another name has to hear. */
  agentDoorOpened?(name: string): Promise<void>;
  ready(): boolean;
  /** Begins to stop and returns at once. */
  shutdown(): void;
  diskState(): Promise<DiskState>;
  backup(request: Body<'backup'>): Promise<Answer<'backup'>>;
  usage(): Promise<Answer<'usage'>>;
  /** Reads all stored bytes; the signal ends it. */
  verifyBlobs(signal: AbortSignal): Promise<Answer<'verifyBlobs'>>;
  gc(request: { readonly dryRun: boolean }): Promise<Answer<'gc'>>;
  readonly limits?: Partial<GatewayLimits>;
}

export interface Attachments {
  /** Resolves once they are safe; the same bytes are kept once. */
  put(
    principal: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly hash: string; readonly sizeBytes: number }>;
  /** The stream of the whole fails before its last byte when the bytes are not those of the hash. */
  open(
    hash: string,
    part?: { readonly from: number; readonly to: number },
  ): Promise<{ readonly sizeBytes: number; readonly stream: AsyncIterable<Uint8Array> }>;
  /** Whether this principal has put it, or a message from or to it refers to it. */
  mayRead(principal: string, hash: string): Promise<boolean>;
}

export type DiskState = { readonly usedPercent: number } & (
  | { readonly state: 'ok' | 'warning' | 'alert' }
  /** Behind "the disk" goes what it is: `is full`. */
  | { readonly state: 'full'; readonly is: string; readonly fix: string }
);

/** As pino has it. */
export interface GatewayLog {
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

export interface GatewayLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** For the headers, and for the whole of a request, to arrive. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly connectionsPerDoor: number;
  /** Of one connection at once; who sends more without reading the answers is cut off. */
  readonly requestsUnderWay: number;
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  /** A reader of events who takes nothing for so long is cut off. */
  readonly slowReaderMs: number;
  readonly heartbeatMs: number;
  /** The net under the wake-ups of the feed. */
  readonly pollMs: number;
  readonly pageEvents: number;
  /** How many events one look at the ledger goes over, however few of them fit. */
  readonly scanEvents: number;
}

export const defaultLimits: GatewayLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  connectionsPerDoor: 1000,
  requestsUnderWay: 8,
  requestsPerSecond: 100,
  requestBurst: 400,
  slowReaderMs: 30_000,
  heartbeatMs: 15_000,
  pollMs: 5000,
  pageEvents: 100,
  scanEvents: 10_000,
};
