/** Which values are likely to mean something in an operation, and which of them are sent at all. */
import type { Dice } from '../../sim/dice.ts';
import type { DescribedOperation } from './described-operations.ts';
import type { FuzzWorld, Wish } from './fuzz-world.ts';
import type { Maker } from './schema-values.ts';
import { idsIn, type Words } from './words.ts';

export function makerOf({ document, words, agent, leftOut }: FuzzWorld, wish: Wish): Maker {
  const { dice, operation, party, isOdd } = wish;
  const { id, tag, path } = operation;
  const wordFor = (field: string): string | undefined => {
    if (id === 'uploadBytes' && field === 'from') return '0';
    // What an agent may say it is; the owner may be anybody.
    if (party === 'agent' && actsFor.has(field)) return agent;
    if (field === 'id' || field === 're' || field === 'ids') {
      return words.one(dice, field === 'id' ? idsIn(path, tag) : 'id messages');
    }
    if (field === 'name') return nameFor(words, dice, operation);
    if (field === 'hash' && /approve|deny/.test(id)) return words.one(dice, 'approval hash');
    if (field === 'agent' && id === 'submitOperation') return words.one(dice, 'template');
    return words.one(dice, kinds[field] ?? field);
  };
  const optionalPercent = dice.pick([0, 5, 20, 60]);
  const isSent = (field: string): boolean =>
    party === 'owner' && (mostlySent[id]?.includes(field) === true || field === 'as')
      ? dice.chance(80)
      : dice.chance(optionalPercent);
  return { document, dice, wordFor, isSent, leftOut: new Set(leftOut[id]), isOdd };
}

/** Without which an operation is seldom answered as it is meant to be. */
const mostlySent: Readonly<Record<string, readonly string[]>> = {
  spawn: ['model'],
  delegate: ['from'],
  submitGoal: ['delay_ms'],
};

const actsFor: ReadonlySet<string> = new Set(['as', 'from']);

const kinds: Readonly<Record<string, string>> = {
  ...{ as: 'agent', from: 'agent', to: 'agent', parent: 'agent', owner: 'agent' },
  ...{ grants: 'capability', asking_grants: 'capability', event_types: 'event_type' },
  ...{ operation_id: 'id operations', attachments: 'hash', sha256: 'hash', mime_type: 'mime' },
  ...{ artifact_name: 'artifact', grantee_address: 'grantee', before: 'id goals' },
  subject: 'agent',
};

/** What "name" names in this operation. */
function nameFor(words: Words, dice: Dice, { id, path }: DescribedOperation): string | undefined {
  // Each a new one.
  if (id === 'register' || id === 'spawn') return `m${dice.below(1_000_000_000).toString(36)}`;
  // The agent that calls must live, and its handle stay good, to the end.
  if (id === 'killAgent' || id === 'renewHandle') return words.one(dice, 'mayfly');
  if (path.includes('/tools/') && dice.chance(40)) return 'file.read';
  const kind = nameKinds.find(([part]) => path.includes(part))?.[1];
  return words.one(dice, kind ?? 'agent');
}

const nameKinds = [
  ['/channels/', 'channel'],
  ['/tools/', 'tool'],
  ['/secrets', 'secret'],
] as const;
