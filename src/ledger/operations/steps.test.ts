import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import type { Step } from '../../kernel/journal/step.ts';
import { insertAgent } from '../agents.ts';
import { endOperation, findOperation, insertOperation } from './operations.ts';
import { appendSteps, copySteps, readSteps } from './steps.ts';

const at = Date.UTC(2030, 0, 1);
const note = (text: string): Step => ({ kind: 'note', code: 'test', text });

async function ledgerWithOperations(...ids: string[]): Promise<SimulatedLedger> {
  const ledger = await SimulatedLedger.create(new SimulatedClock());
  await ledger.transact(async (tx) => {
    const life = { status: 'active', state: 'pending', body: 'model' } as const;
    await insertAgent(tx, { name: 'jean', registered_at: at, ...life });
    const facts = { agent: 'jean', owner: 'owner', parent: null, goal: 'g', because: 'b' };
    const times = { due_at: at, deadline_at: null, created_at: at };
    for (const id of ids) {
      await insertOperation(tx, { id, priority: 5, of_mail: 0, ...facts, ...times });
    }
  });
  return ledger;
}

const append = (ledger: SimulatedLedger, id: string, ...steps: Step[]) =>
  ledger.transact((tx) => appendSteps(tx, id, steps, at));

test('steps are numbered from 1 in the order in which they came', async () => {
  await using ledger = await ledgerWithOperations('a1');

  expect(await append(ledger, 'a1', note('one'))).toBe(1);
  expect(await append(ledger, 'a1', note('two'), note('"three"\n\ud800'))).toBe(3);

  expect(await readSteps(ledger.committed, 'a1')).toEqual([
    { seq: 1, at, step: note('one') },
    { seq: 2, at, step: note('two') },
    { seq: 3, at, step: note('"three"\n\ud800') },
  ]);
});

test('many steps at once keep their order', async () => {
  await using ledger = await ledgerWithOperations('a1');
  const many = Array.from({ length: 100 }, (_, place) => note(String(place)));

  expect(await append(ledger, 'a1', ...many)).toBe(100);

  const steps = await readSteps(ledger.committed, 'a1');
  expect(steps.map(({ step }) => step)).toEqual(many);
  expect(steps.at(-1)?.seq).toBe(100);
});

test('two that append at once leave no gap and overwrite nothing', async () => {
  await using ledger = await ledgerWithOperations('a1');

  const counts = await Promise.all(
    ['one', 'two', 'three'].map((text) => append(ledger, 'a1', note(text), note(text))),
  );

  expect(counts).toEqual([2, 4, 6]);
  expect(await readSteps(ledger.committed, 'a1')).toHaveLength(6);
});

test('readSteps() reads a part', async () => {
  await using ledger = await ledgerWithOperations('a1');
  await append(ledger, 'a1', note('1'), note('2'), note('3'), note('4'));

  const part = await readSteps(ledger.committed, 'a1', { after: 1, upTo: 3 });

  expect(part.map(({ seq }) => seq)).toEqual([2, 3]);
  expect(await readSteps(ledger.committed, 'a1', { after: 4 })).toEqual([]);
});

test('an operation that is over, or is not there, takes no steps', async () => {
  await using ledger = await ledgerWithOperations('a1');
  await append(ledger, 'a1', note('1'));
  await ledger.transact((tx) => endOperation(tx, 'a1', { to: 'cancelled', result: '{}', at }));

  for (const id of ['a1', 'a2']) {
    await expect(append(ledger, id, note('late'))).rejects.toMatchObject({
      code: 'operation.over',
    });
  }
  expect(await readSteps(ledger.committed, 'a1')).toHaveLength(1);
});

test.each([
  ['version = 2', 'step 2 was written by a newer version of Agent OS'],
  [`kind = 'dreamt'`, 'step 2 is of a kind that nobody knows, "dreamt"'],
  [`kind = 'toString'`, 'step 2 is of a kind that nobody knows, "toString"'],
  [`body = '{"kind":'`, 'step 2 is damaged'],
  [`body = 'null'`, 'step 2 is damaged'],
  [`body = '{"kind":"mail"}'`, 'step 2 is damaged'],
  ['seq = 9', 'step 2 is missing'],
])('a step with %s is not read', async (change, words) => {
  await using ledger = await ledgerWithOperations('a1');
  await append(ledger, 'a1', note('1'), note('2'));
  await ledger.transact((tx) => tx.run(`update steps set ${change} where seq = 2`));

  await expect(readSteps(ledger.committed, 'a1')).rejects.toMatchObject({
    code: 'operation.unread',
    message: `The journal of operation "a1" cannot be read: ${words}`,
  });
});

test('copySteps() gives another operation the same beginning, which goes on by itself', async () => {
  await using ledger = await ledgerWithOperations('a1', 'a2');
  await append(ledger, 'a1', note('1'), note('2'), note('3'));

  const copied = await ledger.transact((tx) => copySteps(tx, 'a1', 'a2', 2));
  await append(ledger, 'a2', note('other'));

  expect(copied).toBe(2);
  expect((await readSteps(ledger.committed, 'a2')).map(({ step }) => step)).toEqual([
    note('1'),
    note('2'),
    note('other'),
  ]);
  expect(await findOperation(ledger.committed, 'a2')).toMatchObject({ steps: 3 });
  expect(await readSteps(ledger.committed, 'a1')).toHaveLength(3);
});

test('copySteps() does not touch a journal that has begun', async () => {
  await using ledger = await ledgerWithOperations('a1', 'a2');
  await append(ledger, 'a2', note('mine'));

  await expect(ledger.transact((tx) => copySteps(tx, 'a1', 'a2', 2))).rejects.toThrow();
  expect(await readSteps(ledger.committed, 'a2')).toHaveLength(1);
});
