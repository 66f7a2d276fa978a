import type { Clock } from '../../kernel/ports.ts';
import type { Relay } from '../../relay/relay.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import type { Attachments, GatewayLog } from '../server/deps.ts';
import type { ActingLedger } from '../server/parties.ts';
import type { LiveMail } from './live-mail.ts';
import type { SocketChecks } from './socket-checks.ts';

/** What messages over a WebSocket are made of. */
export interface MailDeps {
  readonly relay: Relay;
  readonly attachments: Pick<Attachments, 'mayRead'>;
  readonly ledger: ActingLedger;
  readonly checks: SocketChecks;
  readonly live: LiveMail;
  readonly clock: Clock;
  readonly log: GatewayLog;
}

/** Who is at the other end. */
export interface MailReader {
  readonly caller: HomeCaller;
  /** Throws when the caller's handle is good no more. */
  stillAdmitted(): HomeCaller | Promise<HomeCaller>;
}
