/** Requests by the document: such as it allows, such as break one rule of it, and odd ones. */
import { Dice } from '../../sim/dice.ts';
import { allowed } from './allowed-requests.ts';
import { breakOne } from './broken-requests.ts';
import type { DescribedOperation } from './described-operations.ts';
import type { Draft, FuzzRequest, FuzzWorld, PrincipalName } from './fuzz-world.ts';
import type { RawRequest } from './kept-connection.ts';
import { withOddHeaders } from './odd-headers.ts';

const parties: readonly [PrincipalName, ...PrincipalName[]] = [
  ...(['owner', 'owner', 'owner', 'owner', 'owner', 'agent', 'agent', 'nobody'] as const),
];

// By then there is so much that it would take the whole time of the test.
const lastUpkeep = 20_000;

/** The same for the same seed and number, but for the ids that were learnt until then. */
export function fuzzRequest(world: FuzzWorld, seed: number, index: number): FuzzRequest {
  const dice = new Dice(seed * 1_000_003 + index);
  const operation = world.operations[index % world.operations.length] ?? world.operations[0];
  // Most operations are not for outsiders, and all are to be tried by one.
  const isOutsider = dice.chance(operation.isForOutsiders ? 50 : 3);
  const party = isOutsider ? 'outsider' : dice.pick(parties);
  const draft = drafted(world, dice, operation, party);
  const isUpkeep = operation.id in world.upkeep && (index > lastUpkeep || dice.chance(95));
  const mustBeForbidden = operation.id in world.onlyForbidden || isUpkeep;
  if (draft.forbidden === undefined && mustBeForbidden) {
    draft.query.push(['no_such_field', '1']);
    draft.forbidden = 'a field of the query that is not there';
  }
  return {
    ...{ operation, party, forbidden: draft.forbidden, about: draft.about },
    raw: world.signed(party, rawOf(operation, draft)),
  };
}

function drafted(
  world: FuzzWorld,
  dice: Dice,
  operation: DescribedOperation,
  party: PrincipalName,
): Draft {
  const roll = dice.below(100);
  const isOdd = roll >= 80;
  const draft = allowed(world, { dice, operation, party, isOdd });
  if (roll < 38) return draft;
  if (roll < 80) breakOne(world, dice, operation, draft);
  else if (roll >= 92) {
    draft.about = 'odd headers';
    withOddHeaders(dice, draft.headers);
  }
  return draft;
}

function rawOf({ path }: DescribedOperation, draft: Draft): RawRequest {
  const place = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => draft.path[name] ?? '');
  const search = draft.query.map(([name, value]) => `${name}=${value}`).join('&');
  const { body, type, method, headers } = draft;
  return {
    method,
    target: search === '' ? place : `${place}?${search}`,
    headers: [
      ...(type === undefined ? [] : [['Content-Type', type] as const]),
      ...(body === undefined ? [] : [['Content-Length', String(body.length)] as const]),
      ...headers,
    ],
    ...(body === undefined ? {} : { body }),
  };
}
