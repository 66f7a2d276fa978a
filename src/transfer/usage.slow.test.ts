/** What each sender has stored is written down with every step, and looked up without a scan. */
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../tests/sim/clock.ts';
import { Dice } from '../../tests/sim/dice.ts';
import {
  day,
  type TemporaryTransfers,
  temporaryTransfers,
} from '../../tests/support/temporary-transfers.ts';
import { seeds } from '../../tests/support/tier.ts';
import { keepBlobs } from '../app/upkeep/blobs.ts';
import type { Sql } from '../ledger/ledger.ts';
import { heldBytes, reservedBytes } from '../ledger/transfers/bodies.ts';
import { sentWithin, type TransferRow } from '../ledger/transfers/transfers.ts';
import type { StepName } from './settle.ts';

const parties = ['samantha', 'jared', 'jean'] as const;
const texts = ['one', 'the second', 'what was found', 'x'.repeat(300)] as const;

type Action = (here: TemporaryTransfers, dice: Dice) => Promise<void>;

async function someTransfer(
  here: TemporaryTransfers,
  dice: Dice,
): Promise<TransferRow | undefined> {
  return dice.oneOf(await here.rows<TransferRow>('select * from agent_transfers order by rowid'));
}

/** What is over is refused, and that is well. */
const perhaps = (action: Promise<unknown>): Promise<void> =>
  action.then(
    () => {},
    (failure: unknown) => {
      expect(failure).toMatchObject({
        code: expect.stringMatching(/^transfer\.(?:over|wrong-state)$/),
      });
    },
  );

function settling(step: StepName): Action {
  return async (here, dice) => {
    const row = await someTransfer(here, dice);
    if (row === undefined) return;
    const principal = step === 'revoked' ? row.sender : row.recipient;
    await perhaps(here.transfers.settle(principal, { id: row.id, step, reason: 'so' }));
  };
}

const send: Action = async (here, dice) => {
  const sender = dice.pick(parties);
  const to = [dice.pick(parties), dice.pick(parties)].slice(dice.below(2));
  const draft = {
    to: [...new Set(to)],
    sealed: dice.chance(70),
    expiresMs: (1 + dice.below(5)) * day,
  };
  await here.send(sender, dice.pick(texts), draft);
};

const share: Action = async (here, dice) => {
  const row = await someTransfer(here, dice);
  if (row === undefined) return;
  await perhaps(here.transfers.share(row.sender, { id: row.id, to: [dice.pick(parties)] }));
};

const wait: Action = async ({ clock }, dice) =>
  (clock as SimulatedClock).advance(dice.below(2 * day));

const giveUp: Action = async (here, dice) => {
  const begun = await here.begin(dice.pick(parties), `never sent ${dice.below(3)}`, {
    to: ['jean'],
  });
  if (begun.state !== 'open') return;
  const [row] = await here.rows<{ sender: string }>(
    `select sender from transfer_uploads where id = '${begun.upload}'`,
  );
  await here.transfers.giveUp(row?.sender ?? '', { id: begun.upload, reason: 'so' });
};

const actions: Readonly<Record<string, Action>> = {
  ...{ send, sendAgain: send, sendMore: send, share, wait, giveUp },
  verify: settling('verified'),
  reject: settling('rejected'),
  fail: settling('failed'),
  revoke: settling('revoked'),
  cleanUp: async (here) => void (await here.transfers.cleanUp()),
  cleanUpOwn: async (here, dice) => {
    await here.transfers.cleanUp({ principal: dice.pick(parties) });
  },
  prune: (here, dice) => here.transfers.prune(here.clock.now() - dice.below(6) * day),
  sweep: ({ deps }) => keepBlobs(deps),
};

/** As nobody would count it who has many. */
const counted = `select b.sender, sum(b.stored_bytes) as bytes from transfer_bodies b
  where exists (select 1 from agent_transfers t join blob_references r
    on r.referrer = 'transfer:' || t.id and r.hash = b.hash where t.body = b.id)
  group by b.sender order by b.sender`;

const holders = `select b.id, b.holders as said, (
    select count(*) from agent_transfers t join blob_references r
    on r.referrer = 'transfer:' || t.id and r.hash = b.hash where t.body = b.id) as found
  from transfer_bodies b order by b.id`;

async function expectCounted(here: TemporaryTransfers): Promise<void> {
  const said = 'select sender, held_bytes as bytes from transfer_usage where held_bytes <> 0';
  expect(await here.rows(`${said} order by sender`)).toEqual(await here.rows(counted));
  const bodies = await here.rows<{ said: number; found: number }>(holders);
  expect(bodies.map((each) => each.said)).toEqual(bodies.map(({ found }) => found));
}

test.each(seeds('what each has stored', { fast: 2, full: 8 }))(
  'after whatever happens, what each has stored is the sum of what is held (seed %d)',
  async (seed) => {
    await using here = await temporaryTransfers();
    const dice = new Dice(seed);
    const done: string[] = [];

    for (let step = 0; step < 120; step++) {
      const name = dice.oneOf(Object.keys(actions)) ?? 'send';
      done.push(name);
      await actions[name]?.(here, dice);
      await expectCounted(here).catch((failure: unknown) => {
        throw new Error(`after ${done.slice(-8).join(', ')}`, { cause: failure });
      });
    }

    await (here.clock as SimulatedClock).advance(10 * day);
    await here.transfers.cleanUp();
    for (const principal of parties)
      expect(await heldBytes(here.ledger.committed, principal)).toBe(0);
  },
);

/** Answers with the way in which rows would be found. */
function explaining(sql: Sql, plan: string[]): Sql {
  const explain = async (text: string, parameters: Parameters<Sql['all']>[1]): Promise<void> => {
    const steps = await sql.all<{ detail: string }>(`explain query plan ${text}`, parameters);
    plan.push(...steps.map(({ detail }) => detail));
  };
  return {
    all: async (text, parameters) => {
      await explain(text, parameters);
      return [];
    },
    get: async (text, parameters) => {
      await explain(text, parameters);
      return undefined;
    },
    run: (text, parameters) => sql.run(text, parameters),
  };
}

test('what a sender holds and has sent lately is found by an index, whoever else sends', async () => {
  await using here = await temporaryTransfers();
  const plan: string[] = [];
  const sql = explaining(here.ledger.committed, plan);

  await heldBytes(sql, 'samantha');
  await reservedBytes(sql, 'samantha');
  await sentWithin(sql, { sender: 'samantha', after: 0, until: day, but: 'x' });

  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  expect(plan).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^SEARCH transfer_usage USING INDEX/),
      expect.stringMatching(/^SEARCH transfer_uploads USING INDEX/),
      expect.stringMatching(
        /^SEARCH agent_transfers USING COVERING INDEX agent_transfers_lately \(sender/,
      ),
    ]),
  );
});
