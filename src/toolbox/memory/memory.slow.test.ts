import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { type MemoryWorld, memoryWorld } from '../../../tests/support/memory-world.ts';
import { runTool, type TestCallOptions } from '../../../tests/support/tool-call.ts';
import type { Tool } from '../../tools/tool.ts';
import { memoryTools } from './tools.ts';

keepCompiled();

const all: TestCallOptions = { capabilities: ['memory:**:read,write,search,share'] };

interface ToolWorld extends AsyncDisposable {
  readonly world: MemoryWorld;
  call(name: string, args: object, options?: TestCallOptions): Promise<unknown>;
}

async function toolWorld(): Promise<ToolWorld> {
  const world = await memoryWorld();
  const tools = new Map<string, Tool>(
    memoryTools({ memory: world.memory }).map((tool) => [tool.name, tool]),
  );
  return {
    world,
    call(name, args, options = all) {
      const tool = tools.get(`memory.${name}`);
      if (tool === undefined) throw new Error(`there is no memory.${name}`);
      return runTool(tool, args, options);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

test('what was stored is recalled, by who stored it and nobody else', async () => {
  await using tools = await toolWorld();
  const value = 'line one\nline "two" – 😀';

  const stored = await tools.call('store', { key: 'projects/house', value });

  const place = { key: 'projects/house', scope: 'working' };
  expect(stored).toEqual({ ...place, version: 1, stored: true });
  const found = await tools.call('get', { key: 'projects/house' });
  expect(found).toMatchObject({ ...place, found: true, value, version: 1, of: 'jean' });
  for (const principal of ['agent:sam', 'owner']) {
    const seen = await tools.call('get', { key: 'projects/house' }, { ...all, principal });

    expect(seen).toEqual({ ...place, found: false });
  }
});

test('the same call that is run again makes no second version', async () => {
  await using tools = await toolWorld();
  await tools.call('store', { key: 'plan', value: 'x' });

  const again = await tools.call('store', { key: 'plan', value: 'x' });

  expect(again).toMatchObject({ version: 1 });
  const rows = await tools.world.ledger.committed.all('select version, source from memories');
  expect(rows).toEqual([{ version: 1, source: 'tool-call:call-1' }]);
});

test('each key needs its capability, and reading another one than writing', async () => {
  await using tools = await toolWorld();
  const options: TestCallOptions = { capabilities: ['memory:working/projects/**:write'] };

  await tools.call('store', { key: 'projects/a', value: 'x' }, options);

  for (const attempt of [
    () => tools.call('store', { key: 'plan', value: 'x' }, options),
    () => tools.call('store', { key: 'projects/a', value: 'x', scope: 'long-term' }, options),
    () => tools.call('get', { key: 'projects/a' }, options),
    () => tools.call('history', { key: 'projects/a' }, options),
    () => tools.call('list', { prefix: 'projects' }, options),
    () => tools.call('share', { key: 'projects/a', with: 'sam' }, options),
    () => tools.call('get', { key: 'projects/a' }, { capabilities: ['memory:long-term/**:read'] }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'capability.denied' });
  }
});

test.each([
  ['whoever gave it, without the right to share', {}, 'agent:jean'],
  ['the owner', { of: 'jean' }, 'owner'],
])('a share is taken back by %s', async (_who, more, principal) => {
  await using tools = await toolWorld();
  await tools.call('share', { key: 'plan', with: 'sam' });

  const nothing: TestCallOptions = { capabilities: [], principal };
  const taken = await tools.call('unshare', { key: 'plan', with: 'sam', ...more }, nothing);

  expect(taken).toMatchObject({ with: 'sam', revoked: [expect.any(String)] });
  expect(await tools.world.memory.shares('owner')).toEqual([]);
});

test('a share is not taken back by an agent that did not give it', async () => {
  await using tools = await toolWorld();
  await tools.call('share', { key: 'plan', with: 'sam' });

  const eve: TestCallOptions = { ...all, principal: 'agent:eve' };
  const attempt = tools.call('unshare', { key: 'plan', with: 'sam', of: 'jean' }, eve);

  await expect(attempt).rejects.toMatchObject({ code: 'memory.not-shared' });
});

test('a list needs the right to read all that lies below', async () => {
  await using tools = await toolWorld();
  await tools.call('store', { key: 'a/b', value: 'x' });
  const one: TestCallOptions = {
    capabilities: ['memory:working/a:read', 'memory:working/a/b:read'],
  };
  const below: TestCallOptions = { capabilities: ['memory:working/a/**:read'] };

  await expect(tools.call('list', { prefix: 'a' }, one)).rejects.toMatchObject({
    code: 'capability.denied',
  });
  expect(await tools.call('list', { prefix: 'a' }, below)).toMatchObject({
    memories: [{ key: 'a/b', value: 'x' }],
    next: null,
  });
});

test('without a grant nobody can tell whether another’s key exists', async () => {
  await using tools = await toolWorld();
  await tools.call('store', { key: 'plan', value: 'swordfish', scope: 'long-term' });
  const eve: TestCallOptions = { ...all, principal: 'agent:sam' };
  const told = async (name: string, key: string) => {
    const args = name === 'search' ? { query: 'swordfish' } : { key, scope: 'long-term' };
    const attempt = tools.call(name, { ...args, of: 'jean' }, eve);
    return attempt.then(
      (result) => JSON.stringify(result),
      (failure: Error) => failure.message.replace(key, 'KEY'),
    );
  };

  for (const name of ['get', 'history', 'search', 'store', 'pin', 'forget']) {
    const extra = await told(name, 'plan');
    expect(await told(name, 'none'), name).toBe(extra);
    expect(extra).not.toContain('swordfish');
  }
});

test('a key with characters that mean something in capabilities is a name like any other', async () => {
  await using tools = await toolWorld();
  const options: TestCallOptions = { capabilities: ['memory:working/a%2A%3Ab:read,write'] };

  await tools.call('store', { key: 'a*:b', value: 'x' }, options);

  expect(await tools.call('get', { key: 'a*:b' }, options)).toMatchObject({ value: 'x' });
});

test.each(['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a\nb', 'a\u202eb', 'a\0', '\ud800'])(
  'the key %j is refused',
  async (key) => {
    await using tools = await toolWorld();

    for (const attempt of [
      tools.call('get', { key }),
      tools.call('store', { key, value: 'x' }),
      tools.call('share', { key, with: 'sam' }),
    ].map((each) => each.catch((failure: unknown) => failure))) {
      expect(await attempt).toMatchObject({ code: 'tool.bad-arguments' });
    }
  },
);

test('the size that a grant allows holds for reading and for writing', async () => {
  await using tools = await toolWorld();
  const few: TestCallOptions = { capabilities: ['memory:working/**:read,write{size:4B}'] };
  await tools.call('store', { key: 'long', value: 'too long' });

  for (const attempt of [
    () => tools.call('store', { key: 'plan', value: 'too long' }, few),
    () => tools.call('get', { key: 'long' }, few),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'tool.too-large' });
  }
});
