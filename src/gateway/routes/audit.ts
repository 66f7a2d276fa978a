import type { SignedHead } from '../../ledger/events.ts';
import { signHead } from '../../security/audit/head.ts';
import { verifyChain } from '../../security/audit/verify.ts';
import type { Answer, WireSignedHead } from '../contract/contract.ts';
import { badRequest } from '../server/problem.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { wireSignedHead } from './views/wire.ts';

// Long enough for everybody else to get a turn.
const pauseMs = 1;

export function auditRoutes(deps: RouteDeps): Handles<'auditHead' | 'auditVerify'> {
  const pause = () => deps.clock.sleep(pauseMs);
  return {
    auditHead: async () => {
      const head = await signHead(deps);
      return { head: head === undefined ? null : wireSignedHead(head) };
    },
    auditVerify: async ({ body: { head } }) => {
      const keptHead = head === undefined ? undefined : keptHeadOf(head);
      return wireVerification(await verifyChain({ ledger: deps.ledger, pause }, { keptHead }));
    },
  };
}

function keptHeadOf({ at, ...head }: WireSignedHead): SignedHead {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) throw badRequest('"head.at" in the body is no date that there is');
  return { ...head, at: instant };
}

type Verification = Awaited<ReturnType<typeof verifyChain>>;

function wireVerification(verification: Verification): Answer<'auditVerify'> {
  if (verification.kind === 'broken') return verification;
  const { keptHead, signedHeads, ...rest } = verification;
  return { ...rest, signed_heads: signedHeads, kept_head: keptHead };
}
