import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { Admittance } from './admit.ts';
import { Authenticator, type Caller } from './authenticate.ts';
import { SignedCallers } from './signed-callers.ts';

const jean: Caller = { kind: 'agent', id: 'agent:jean', name: 'jean' };

async function world(burst: number) {
  const clock = new SimulatedClock();
  const home = await temporaryLedger({ clock });
  const authenticator = new Authenticator(home.ledger, clock);
  const heard: string[] = [];
  const signed = new SignedCallers({
    ...{ ledger: home.ledger, clock, legacySignatures: false },
    learnKey: async () => {},
  });
  const admittance = new Admittance({
    ...{ authenticator, signed, clock, version: '1.0.0', rate: { perSecond: 1, burst } },
    heardFrom: (name) => heard.push(name),
  });
  return {
    ...{ admittance, heard },
    async [Symbol.asyncDispose]() {
      authenticator[Symbol.dispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test('an agent that calls is heard, and the owner is no agent', async () => {
  await using here = await world(5);

  here.admittance.again(jean);
  here.admittance.again({ kind: 'owner', id: 'owner' });

  expect(here.heard).toEqual(['jean']);
});

test('an agent that calls too often is refused, and not heard', async () => {
  await using here = await world(1);
  here.admittance.again(jean);

  expect(() => here.admittance.again(jean)).toThrow();
  expect(here.heard).toEqual(['jean']);
});
