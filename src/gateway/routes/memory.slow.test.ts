import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import {
  bearer,
  send,
  type TestAnswer,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { memoryVerbs } from '../../verbs/memory.ts';
import type { Verb } from '../../verbs/verb.ts';
import { type RouteName, routes } from '../contract/contract.ts';

keepCompiled();

const lines = { 'content-type': 'application/x-ndjson' };

/** With jean, who may do everything to her own memories, and sam, who may do nothing. */
async function rememberingGateway() {
  const gateway = await temporaryGateway();
  const handles = new Map<string, string>();
  for (const name of ['jean', 'sam']) {
    handles.set(name, (await gateway.client.register(name)).handle);
  }
  await gateway.client.grant({ agent: 'jean', capability: 'memory:**:read,write,search,share' });
  const post = (path: string, body: object, who = 'owner') =>
    send({
      ...{ method: 'POST', path: `/api/v1/memory/${path}`, body: JSON.stringify(body) },
      ...(who === 'owner'
        ? { at: gateway.ownerSocket }
        : { at: gateway.agentSocket(who), headers: bearer(handles.get(who) ?? '') }),
    });
  const importing = (
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = lines,
  ) =>
    send({
      ...{ at: gateway.ownerSocket, method: 'POST', path: '/api/v1/memory/import' },
      ...{ body, headers },
    });
  const exporting = (query = '') =>
    send({ at: gateway.ownerSocket, path: `/api/v1/memory/export${query}` });
  return Object.assign(gateway, { handles, post, importing, exporting });
}

const door = { key: 'house/door', scope: 'long-term', value: 'The door is green.' } as const;
const place = { key: door.key, scope: door.scope };

/** What the contract keeps of an answer: all of it, where the two agree. */
function kept(name: RouteName, answer: unknown): unknown {
  const route: Verb = routes[name];
  return route.output.parse(answer);
}

describe('the contract', () => {
  const toolRoutes = Object.values<Verb>(memoryVerbs).filter(({ ownKey }) => ownKey === true);

  test('takes for each tool just what the tool takes', async () => {
    await using home = await temporaryGateway();
    const tools = (await home.client.tools()).items.filter(({ name }) =>
      name.startsWith('memory.'),
    );

    const taken = toolRoutes.map(({ path, input }) => ({
      name: path.replace('/api/v1/', '').replace('/', '.'),
      ...fieldsOf(z.toJSONSchema(input, { io: 'input' })),
    }));

    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(taken.toSorted(byName)).toEqual(
      tools.map(({ name, input_schema }) => ({ name, ...fieldsOf(input_schema) })).toSorted(byName),
    );
  });

  test('tells a model the limits that the tools hold it to, and refuses more in their words', async () => {
    await using home = await temporaryGateway();
    const tools = (await home.client.tools()).items;
    const store = tools.find(({ name }) => name === 'memory.store');

    const tooMany = { key: 'a', value: 1, tags: Array.from({ length: 33 }, (_, n) => `t${n}`) };
    const refused = home.client.storeMemory(tooMany);

    expect(store?.input_schema).toMatchObject({
      properties: {
        tags: { maxItems: 32, items: { minLength: 1, maxLength: 64 } },
        thread: { minLength: 1, maxLength: 200 },
        of: { maxLength: 128 },
      },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'tool.bad-arguments',
      message: expect.stringContaining('"tags" of memory.store'),
    });
  });

  function fieldsOf(schema: Record<string, unknown>) {
    const { properties = {}, required = [] } = schema;
    // As every JSON schema of an object has them.
    return {
      fields: Object.keys(properties as object).sort(),
      required: [...(required as string[])].sort(),
    };
  }

  test('says of each answer all that is in it', async () => {
    await using home = await rememberingGateway();
    const { client } = home;
    const stored = await client.storeMemory({
      ...{ ...door, tags: ['house'], thread: 'paint', ttl_seconds: 60, pin: true },
      ...{ valid_from: '2026-01-01T00:00:00Z', valid_to: '2100-01-01T00:00:00Z' },
    });

    const answers: readonly (readonly [RouteName, unknown])[] = [
      ['storeMemory', stored],
      ['getMemory', await client.getMemory(place)],
      ['getMemory', await client.getMemory({ key: 'nothing' })],
      ['searchMemory', await client.searchMemory({ query: 'green door this year' })],
      ['listMemories', await client.listMemories({ scope: 'long-term' })],
      ['memoryHistory', await client.memoryHistory(place)],
      ['pinMemory', await client.pinMemory({ ...place, pinned: false })],
      ['shareMemory', await client.shareMemory({ ...place, with: 'jean' })],
      ['memoryShares', await client.memoryShares({})],
      ['unshareMemory', await client.unshareMemory({ ...place, with: 'jean' })],
      ['forgetMemory', await client.forgetMemory(place)],
      ['memoryHistory', await client.memoryHistory(place)],
      ['purgeMemory', await client.purgeMemory({ ...place, below: false, dry_run: true })],
      ['purgeMemory', await client.purgeMemory({ ...place, below: false })],
      ['memoryState', await client.memoryState()],
    ];

    for (const [name, answer] of answers) expect(kept(name, answer)).toEqual(answer);
  });
});

describe('a list', () => {
  test('comes in pages, by key, and the next begins where one ended', async () => {
    await using home = await rememberingGateway();
    for (const key of ['e', 'c', 'a/b', 'd', 'a']) await home.post('store', { key, value: key });
    const keys: string[][] = [];

    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await home.client.listMemories({ limit: 2, cursor });
      keys.push(page.items.map(({ key }) => key));
      cursor = page.next;
    }

    expect(keys).toEqual([['a', 'a/b'], ['c', 'd'], ['e']]);
  });

  test('of versions comes in pages, the newest first', async () => {
    await using home = await rememberingGateway();
    for (const value of ['1', '2', '3']) await home.post('store', { ...place, value });

    const first = await home.client.memoryHistory({ ...place, limit: 2 });
    const second = await home.client.memoryHistory({ ...place, limit: 2, before: first.next ?? 0 });

    expect(first.items.map(({ value }) => value)).toEqual(['3', '2']);
    expect(second).toMatchObject({ items: [{ value: '1' }], next: null });
  });
});

describe('what is the owner’s alone', () => {
  test.each(['purge', 'import'])('%s is refused to an agent', async (verb) => {
    await using home = await rememberingGateway();
    const body = verb === 'purge' ? { ...place, below: false } : {};

    const answer = await home.post(verb, body, 'jean');

    expect(answer).toMatchObject({ status: 403, json: { code: 'gateway.owner-only' } });
  });

  test.each(['export', 'state'])('%s is refused to an agent', async (verb) => {
    await using home = await rememberingGateway();

    const answer = await send({
      ...{ at: home.agentSocket('jean'), path: `/api/v1/memory/${verb}` },
      headers: bearer(home.handles.get('jean') ?? ''),
    });

    expect(answer).toMatchObject({ status: 403, json: { code: 'gateway.owner-only' } });
  });

  test('an agent cannot act for another', async () => {
    await using home = await rememberingGateway();

    const answer = await home.post('get?as=sam', place, 'jean');

    expect(answer).toMatchObject({ status: 403, json: { code: 'message.denied' } });
  });
});

describe('without a grant', () => {
  const verbs: readonly (readonly [string, object])[] = [
    ['get', {}],
    ['history', {}],
    ['pin', {}],
    ['forget', {}],
    ['store', { value: 'x' }],
  ];

  test.each(verbs)(
    '%s answers the same for a key that is there and for one that is not',
    async (verb, more) => {
      await using home = await rememberingGateway();
      await home.post('store', { ...door, key: 'house/real' });
      const ask = (key: string, who: string) =>
        home.post(verb, { ...place, of: 'owner', key, ...more }, who);

      for (const who of ['jean', 'sam']) {
        const there = await ask('house/real', who);
        const none = await ask('house/none', who);

        expect(there).toMatchObject({ status: 403, json: { code: 'capability.denied' } });
        expect(faceOf(there, 'house/real')).toEqual(faceOf(none, 'house/none'));
      }
    },
  );

  test.each(['list', 'search'])(
    '%s of another’s says no more than that it is denied',
    async (verb) => {
      await using home = await rememberingGateway();
      const of = {
        of: 'owner',
        scope: 'long-term',
        ...(verb === 'search' ? { query: 'door' } : {}),
      };
      const before = await home.post(verb, of, 'jean');
      await home.post('store', door);

      const after = await home.post(verb, of, 'jean');

      expect(after).toMatchObject({ status: 403, json: { code: 'capability.denied' } });
      expect(faceOf(after, '')).toEqual(faceOf(before, ''));
    },
  );

  test('a share opens what it names until it is taken back', async () => {
    await using home = await rememberingGateway();
    await home.post('store', door);
    const read = () => home.post('get', { ...place, of: 'owner' }, 'sam');

    await home.client.shareMemory({ key: 'house', scope: 'long-term', with: 'sam' });
    const shared = await read();
    await home.client.unshareMemory({ key: 'house', scope: 'long-term', with: 'sam' });

    expect(shared).toMatchObject({ status: 200, json: { found: true, value: door.value } });
    expect(await read()).toMatchObject({ status: 403 });
  });

  /** All that a caller sees, but for the key that it named itself and the ids of its call. */
  function faceOf({ status, text }: TestAnswer, key: string) {
    const plain = key === '' ? text : text.replaceAll(key, 'KEY');
    return { status, text: plain.replace(/"call_id":"[0-9a-f]+"/, '') };
  }
});

test('where a human has to be asked, the answer names the approval, and the yes counts', async () => {
  await using home = await rememberingGateway();
  await home.client.grant({ agent: 'sam', capability: 'memory:working/**:write', ask: true });

  const asked = await home.post('store', { key: 'plan', value: 'x' }, 'sam');
  const { items } = await home.client.approvals({});
  const { hash } = await home.client.approval(items[0]?.id ?? '');
  await home.client.approve(items[0]?.id ?? '', { hash, scope: 'once' });
  const call = await home.client.toolCall(items[0]?.call_id ?? '', { waitMs: 10_000 });

  expect(asked).toMatchObject({
    status: 409,
    json: { code: 'approval.needed', details: { approval: items[0]?.id } },
  });
  expect(call.state).toBe('answered');
  expect(await home.client.getMemory({ key: 'plan', of: 'sam' })).toMatchObject({ value: 'x' });
});

test('the same Idempotency-Key stores once', async () => {
  await using home = await rememberingGateway();

  await home.client.storeMemory({ key: 'plan', value: 'x' }, { key: 'one' });
  await home.client.storeMemory({ key: 'plan', value: 'y' }, {});
  const again = await home.client.storeMemory({ key: 'plan', value: 'x' }, { key: 'one' });

  expect(again).toMatchObject({ version: 1 });
  expect(await home.client.getMemory({ key: 'plan' })).toMatchObject({ value: 'y', version: 2 });
});

describe('purge', () => {
  test('of a dry run says what would go, and erases nothing', async () => {
    await using home = await rememberingGateway();
    for (const value of ['1', '2']) await home.post('store', { ...place, value });

    const would = await home.client.purgeMemory({ ...place, below: false, dry_run: true });

    expect(would).toMatchObject({ versions: 2, operations: 0, calls: 2, later: [] });
    expect(await home.client.getMemory(place)).toMatchObject({ found: true, value: '2' });
  });

  test('erases the versions, and what the journal says of them', async () => {
    await using home = await rememberingGateway();
    await home.post('store', { ...place, value: 'canary-7f3a' });
    await home.client.searchMemory({ query: 'canary' });

    const done = await home.client.purgeMemory({ scope: 'long-term', key: 'house', below: true });

    const journal = await home.ledger.committed.all('select arguments, result from journal');
    expect(done).toMatchObject({
      versions: 1,
      later: [],
      note: expect.stringContaining('Backups'),
    });
    expect(JSON.stringify(journal)).not.toContain('canary-7f3a');
    expect(await home.client.getMemory(place)).toMatchObject({ found: false });
  });

  test('of everything needs the word for what lies below', async () => {
    await using home = await rememberingGateway();

    const answer = await home.post('purge', { scope: 'working', below: false });

    expect(answer).toMatchObject({ status: 400, json: { code: 'memory.bad-key' } });
  });

  test('of an agent that there is not is refused', async () => {
    await using home = await rememberingGateway();

    const answer = await home.post('purge', { of: 'nobody', scope: 'working', below: true });

    expect(answer).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
  });
});

describe('export and import', () => {
  test('make the same history in another’s memory, and are on record', async () => {
    await using home = await rememberingGateway();
    for (const value of ['The door is blue.', { doors: 2 }]) {
      await home.post('store', { ...place, value });
    }
    await home.post('store', { key: 'passing', value: 'x' });

    const exported = await home.exporting('?scope=long-term');
    const bytes = async function* () {
      yield Buffer.from(exported.text);
    };
    const first = await home.client.importMemory(bytes(), { of: 'jean' });
    const second = await home.client.importMemory(bytes(), { of: 'jean' });

    expect(exported.headers['content-type']).toBe('application/x-ndjson');
    expect([first, second]).toEqual([
      { imported: 2, known: 0 },
      { imported: 0, known: 2 },
    ]);
    const history = await home.client.memoryHistory({ ...place, of: 'jean' });
    expect(history.items.map(({ value }) => value)).toEqual([{ doors: 2 }, 'The door is blue.']);
    const events = await Array.fromAsync(home.client.events({ kind: 'memory.*' }));
    expect(events.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(
      expect.arrayContaining(['memory.exported owner', 'memory.imported agent:jean']),
    );
  });

  test('of what is shared goes back into its space', async () => {
    await using home = await rememberingGateway();
    await home.post('store', { key: 'team/plan', scope: 'shared', value: 'Paint.' });

    const { text } = await home.exporting('?scope=shared');
    await home.client.purgeMemory({ scope: 'shared', key: 'team', below: true });
    const imported = await home.importing(text);

    expect(imported.json).toEqual({ imported: 1, known: 0 });
    expect(await home.client.getMemory({ key: 'team/plan', scope: 'shared' })).toMatchObject({
      value: 'Paint.',
    });
  });

  test('take all lines or none', async () => {
    await using home = await rememberingGateway();
    await home.post('store', door);
    const { text } = await home.exporting();
    await home.client.purgeMemory({ scope: 'long-term', below: true });

    const answer = await home.importing(`${text}{"key":"no memory"}\n`);

    expect(answer).toMatchObject({
      ...{ status: 400, json: { code: 'memory.bad-import', details: { line: 2 } } },
    });
    expect(await home.client.listMemories({ scope: 'long-term' })).toMatchObject({ items: [] });
  });

  test.each<readonly [string, string | Uint8Array, object, object]>([
    ['what is no UTF-8', Uint8Array.of(0xff, 0x0a), lines, { code: 'memory.bad-import' }],
    ['another kind of body', '{}', { 'content-type': 'application/json' }, { status: 415 }],
    ['a key for a stream', '', { ...lines, 'idempotency-key': 'a' }, { status: 400 }],
  ])('%s is refused', async (_what, body, headers, problem) => {
    await using home = await rememberingGateway();

    const answer = await home.importing(body, { ...headers });

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json).toMatchObject(problem);
  });

  test('more than 64 MiB is refused', async () => {
    await using home = await rememberingGateway();

    const answer = await home.importing(Buffer.alloc(64 * 1024 * 1024 + 1, '\n'));

    expect(answer).toMatchObject({ status: 413, json: { code: 'gateway.too-large' } });
  });

  test('of what is shared cannot be of somebody', async () => {
    await using home = await rememberingGateway();

    const answer = await home.exporting('?scope=shared&of=jean');

    expect(answer).toMatchObject({ status: 400, json: { code: 'memory.bad-value' } });
  });
});
