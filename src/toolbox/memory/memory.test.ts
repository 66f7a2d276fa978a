import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { runTool, type TestCallOptions } from '../../../tests/support/tool-call.ts';
import { memoryGet } from './get.ts';
import { memoryStore } from './store.ts';

const all: TestCallOptions = { capabilities: ['memory:working/**:read,write'] };

async function temporaryTools() {
  const { ledger, [Symbol.asyncDispose]: dispose } = await temporaryLedger();
  return {
    ledger,
    store: memoryStore({ ledger, clock: new SimulatedClock() }),
    get: memoryGet({ ledger }),
    [Symbol.asyncDispose]: dispose,
  };
}

test('what was stored is recalled, by who stored it and nobody else', async () => {
  await using tools = await temporaryTools();
  const value = 'line one\nline "two" – 😀';

  const stored = await runTool(tools.store, { key: 'projects/house', value }, all);

  expect(stored).toEqual({ key: 'projects/house', version: 1 });
  expect(await runTool(tools.get, { key: 'projects/house' }, all)).toEqual({
    key: 'projects/house',
    found: true,
    value,
    version: 1,
  });
  for (const principal of ['agent:samantha', 'owner']) {
    const seen = await runTool(tools.get, { key: 'projects/house' }, { ...all, principal });

    expect(seen).toEqual({ key: 'projects/house', found: false });
  }
});

test('the same call that is run again makes no second version', async () => {
  await using tools = await temporaryTools();
  await runTool(tools.store, { key: 'plan', value: 'x' }, all);

  const again = await runTool(tools.store, { key: 'plan', value: 'x' }, all);

  expect(again).toEqual({ key: 'plan', version: 1 });
  expect(await tools.ledger.committed.all('select version, source from memories')).toEqual([
    { version: 1, source: 'tool-call:call-1' },
  ]);
});

test('another call makes the next version', async () => {
  await using tools = await temporaryTools();
  await runTool(tools.store, { key: 'plan', value: 'x' }, all);
  const prepared = tools.store.prepare({ key: 'plan', value: 'y' });

  const stored = await prepared.run(callOf('call-2'));

  expect(stored).toEqual({ key: 'plan', version: 2 });
  expect(await runTool(tools.get, { key: 'plan' }, all)).toMatchObject({ value: 'y', version: 2 });
});

function callOf(id: string) {
  const never = () => Promise.reject(new Error('nothing more is asked for'));
  const signal = new AbortController().signal;
  const facts = { id, key: id, principal: 'agent:jean', outputBytes: 1024 };
  const nothing = { permits: [], permit: never, may: async () => false };
  return { ...facts, ...nothing, signal, approvedReason: async () => undefined };
}

test('each key needs its capability, and reading another one than writing', async () => {
  await using tools = await temporaryTools();
  const options: TestCallOptions = { capabilities: ['memory:working/projects/**:write'] };

  await runTool(tools.store, { key: 'projects/a', value: 'x' }, options);

  for (const attempt of [
    runTool(tools.store, { key: 'plan', value: 'x' }, options),
    runTool(tools.get, { key: 'projects/a' }, options),
    runTool(tools.get, { key: 'projects/a' }, { capabilities: ['memory:long-term/**:read'] }),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
  }
});

test('a key with characters that mean something in capabilities is a name like any other', async () => {
  await using tools = await temporaryTools();
  const options: TestCallOptions = { capabilities: ['memory:working/a%2A%3Ab:read,write'] };

  await runTool(tools.store, { key: 'a*:b', value: 'x' }, options);

  expect(await runTool(tools.get, { key: 'a*:b' }, options)).toMatchObject({ value: 'x' });
});

test.each([
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  'a\nb',
  'a\u202eb',
  'a\0',
  '\ud800',
  'x'.repeat(201),
])('the key %j is refused', async (key) => {
  await using tools = await temporaryTools();

  for (const attempt of [
    runTool(tools.get, { key }, all),
    runTool(tools.store, { key, value: 'x' }, all),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'tool.bad-arguments' });
  }
});

test.each([
  ['too long', 'x'.repeat(64 * 1024 + 1)],
  ['too long in bytes', 'é'.repeat(32 * 1024 + 1)],
  ['half a character', '\ud800'],
  ['no text', 'a\0b'],
])('a value that is %s is refused', async (_what, value) => {
  await using tools = await temporaryTools();

  const attempt = runTool(tools.store, { key: 'plan', value }, all);

  await expect(attempt).rejects.toMatchObject({ code: 'tool.bad-arguments' });
});

test('the longest value is kept whole', async () => {
  await using tools = await temporaryTools();
  const value = 'x'.repeat(64 * 1024);

  await runTool(tools.store, { key: 'plan', value }, all);

  expect(await runTool(tools.get, { key: 'plan' }, all)).toMatchObject({ value });
});

test('the size that a grant allows holds for reading and for writing', async () => {
  await using tools = await temporaryTools();
  const few: TestCallOptions = { capabilities: ['memory:working/**:read,write{size:4B}'] };
  await runTool(tools.store, { key: 'long', value: 'too long' }, all);

  for (const attempt of [
    runTool(tools.store, { key: 'plan', value: 'too long' }, few),
    runTool(tools.get, { key: 'long' }, few),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'tool.too-large' });
  }
});
