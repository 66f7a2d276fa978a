/** What the relay counts. The gateway turns it into metrics. */
import type { MessageKind } from '../kernel/message/message.ts';

export interface RelayMetrics {
  accepted(kind: MessageKind, count: number): void;
  refused(kind: MessageKind | 'none'): void;
  /** How long it took from being accepted to being delivered. */
  delivered(count: number, latencyMs: number): void;
  ended(state: 'read' | 'acked' | 'expired' | 'dead', reason?: string): void;
  retried(): void;
}

export const noMetrics: RelayMetrics = {
  accepted: () => {},
  refused: () => {},
  delivered: () => {},
  ended: () => {},
  retried: () => {},
};
