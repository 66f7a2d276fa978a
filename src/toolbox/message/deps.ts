import type { Clock } from '../../kernel/ports.ts';
import type { Relay } from '../../relay/relay.ts';

export interface MessageToolDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate' | 'mailboxes'>;
  readonly clock: Clock;
}
