import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { lastInstant } from '../../kernel/ports.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import {
  insertHandle,
  insertPrincipal,
  revokeHandlesOf,
} from '../../ledger/security/principals.ts';
import { hashOfHandle, mintHandle } from '../../security/handles.ts';
import { Authenticator } from './authenticate.ts';
import type { Door } from './connections.ts';

const tcp: Door = { kind: 'tcp', origins: new Map() };
const handle = mintHandle(seededRandom('jean'));
const headers = { authorization: `Bearer ${handle}` };
const jean = { kind: 'agent', id: 'agent:jean', name: 'jean' };

async function registerJean(ledger: Ledger): Promise<void> {
  await ledger.transact(async (tx) => {
    const principal = { id: 'agent:jean', kind: 'agent', address: '0x', public_key: '0x' } as const;
    await insertPrincipal(tx, { ...principal, created_at: 0 });
    await insertHandle(tx, {
      hash: hashOfHandle(handle),
      principal: 'agent:jean',
      created_at: 0,
      expires_at: lastInstant,
    });
  });
}

async function revoke(ledger: Ledger): Promise<void> {
  await ledger.transact(async (tx) => {
    await revokeHandlesOf(tx, 'agent:jean', 1);
    await tx.record({ actor: 'owner', kind: 'identity.handle-revoked', subject: 'agent:jean' });
  });
}

/** The same ledger, whose answers to one row's question come when `deliver` is called. */
function slowly(ledger: Ledger) {
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>();
  const { committed } = ledger;
  const slow: Sql = {
    all: (text, parameters) => committed.all(text, parameters),
    run: (text, parameters) => committed.run(text, parameters),
    async get<Row>(text: string, parameters?: Parameters<Sql['get']>[1]) {
      const row = await committed.get<Row>(text, parameters);
      await delivered;
      return row;
    },
  };
  return { deliver, ledger: { committed: slow, onEvents: ledger.onEvents.bind(ledger) } };
}

test('who was found is known at once for a second, and is then looked up again', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryLedger({ clock });
  await registerJean(home.ledger);
  using authenticator = new Authenticator(home.ledger, clock);

  const first = authenticator.identify(tcp, headers);
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toEqual(jean);
  expect(authenticator.identify(tcp, headers)).toEqual(jean);
  await clock.advance(1000);

  expect(authenticator.identify(tcp, headers)).toBeInstanceOf(Promise);
});

test('an answer that was under way while the handle was revoked is not remembered', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryLedger({ clock });
  await registerJean(home.ledger);
  const slow = slowly(home.ledger);
  using authenticator = new Authenticator(slow.ledger, clock);

  const early = authenticator.identify(tcp, headers);
  await revoke(home.ledger);
  slow.deliver();
  await early;

  const late = Promise.resolve(authenticator.identify(tcp, headers));
  await expect(late).rejects.toMatchObject({ code: 'handle.unknown' });
});

test('over TCP a handle of an agent is good only when it ends by itself', async () => {
  const clock = new SimulatedClock();
  await using home = await temporaryLedger({ clock });
  await registerJean(home.ledger);
  await home.ledger.transact(async (tx) => {
    await tx.run('update handles set expires_at = null');
    await tx.record({ actor: 'owner', kind: 'test.changed', subject: 'agent:jean' });
  });
  using authenticator = new Authenticator(home.ledger, clock);
  const own: Door = { kind: 'agent', name: 'jean' };

  expect(await authenticator.identify(own, headers)).toEqual(jean);
  // Known by now, and refused all the same.
  expect(() => authenticator.identify(tcp, headers)).toThrow(
    expect.objectContaining({
      code: 'handle.wrong-door',
      fix: 'aos register jean --new-handle --expires 30d',
    }),
  );
});
