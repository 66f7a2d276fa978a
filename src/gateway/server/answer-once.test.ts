import Fastify, { type FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Verb } from '../../verbs/verb.ts';
import { answerOnce, takesKeys } from './answer-once.ts';
import { type Caller, owner } from './authenticate.ts';
import { Idempotency } from './idempotency.ts';

type Action = (reply: FastifyReply, time: number) => unknown;

interface World {
  readonly route?: Pick<Verb, 'streams' | 'secretAnswer'>;
  readonly caller?: Caller;
}

/** One route of a real framework over a real ledger; the action hears how often it was done. */
async function world(action: Action, { route = {}, caller = owner }: World = {}) {
  const home = await temporaryLedger();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const idempotency = new Idempotency({
    ...{ ledger: home.ledger, clock: new SimulatedClock(), log, epoch: 1 },
    owner: { sign: (text) => text },
  });
  let times = 0;
  const app = Fastify();
  app.delete('/x', (request, reply) =>
    answerOnce(idempotency, route, { caller, request, reply }, () => {
      times++;
      return action(reply, times);
    }),
  );
  app.setErrorHandler((error, _request, reply) => {
    void reply.code(error instanceof AosError ? 400 : 500).send({ failed: true });
  });
  return {
    ask: async () => {
      const headers = { 'idempotency-key': 'once' };
      const {
        statusCode,
        body,
        headers: answered,
      } = await app.inject({
        ...{ method: 'DELETE', url: '/x', headers },
      });
      return { statusCode, body, isReplayed: answered['idempotency-replayed'] === 'true' };
    },
    times: () => times,
    async [Symbol.asyncDispose]() {
      await app.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

test('what was deleted without a word is answered without a word again', async () => {
  await using here = await world((reply) => {
    void reply.code(204);
    return {};
  });

  const first = await here.ask();
  const again = await here.ask();

  expect(first).toEqual({ statusCode: 204, body: '', isReplayed: false });
  expect(again).toEqual({ statusCode: 204, body: '', isReplayed: true });
  expect(here.times()).toBe(1);
});

test('the status that the action has chosen is told again', async () => {
  await using here = await world((reply) => {
    void reply.code(202);
    return { made: true };
  });

  await here.ask();
  const again = await here.ask();

  expect(again).toEqual({ statusCode: 202, body: '{"made":true}', isReplayed: true });
});

test('an action that has answered by itself is not done again, and its answer is not known', async () => {
  await using here = await world((reply) => reply.code(200).send('by itself'));

  const first = await here.ask();
  const again = await here.ask();

  expect(first).toMatchObject({ statusCode: 200, body: 'by itself' });
  expect(again).toMatchObject({ statusCode: 400 });
  expect(here.times()).toBe(1);
});

test('what is to come again later is done then, with the same key', async () => {
  await using here = await world((_reply, time) => {
    if (time === 1) throw new AosError('budget.spent', { message: 'Not now' });
    return { made: time };
  });

  await here.ask();
  const again = await here.ask();

  expect(again).toMatchObject({ statusCode: 200, body: '{"made":2}', isReplayed: false });
});

test('an outsider has keys', async () => {
  const caller: Caller = { kind: 'grantee', id: 'grantee:0x1', address: '0x1' };
  await using here = await world((_reply, time) => ({ made: time }), { caller });

  await here.ask();
  const again = await here.ask();

  expect(again).toMatchObject({ statusCode: 200, body: '{"made":1}', isReplayed: true });
});

test('a stream is refused before anything is done', async () => {
  await using here = await world(() => ({}), { route: { streams: true } });

  expect(await here.ask()).toMatchObject({ statusCode: 400 });
  expect(here.times()).toBe(0);
});

test('keys are for what changes something, and does not look at them itself', () => {
  expect(takesKeys({ method: 'POST' })).toBe(true);
  expect(takesKeys({ method: 'DELETE' })).toBe(true);
  expect(takesKeys({ method: 'GET' })).toBe(false);
  expect(takesKeys({ method: 'POST', ownKey: true })).toBe(false);
});
