import { expect, test } from 'vitest';
import {
  bearer,
  send,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import type { Verb } from '../../verbs/verb.ts';
import { routes } from '../contract/contract.ts';

interface Pages {
  readonly path: string;
  readonly cursor: 'after' | 'before';
  readonly key: string;
}

/** What stands under a key in all items, two on a page. */
async function throughPages({ ownerSocket: at }: TemporaryGateway, { path, cursor, key }: Pages) {
  const pages: unknown[][] = [];
  const start = `${path}${path.includes('?') ? '&' : '?'}limit=2`;
  for (let next: string | undefined = start; next !== undefined; ) {
    const answer = await send({ at, path: next });
    // As the contract has it.
    const page = answer.json as { items: Record<string, unknown>[]; next?: string };
    pages.push(page.items.map((item) => item[key]));
    next =
      page.next === undefined ? undefined : `${start}&${cursor}=${encodeURIComponent(page.next)}`;
  }
  return pages;
}

test('channels come in pages, in the order of their names', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  for (const name of ['#e', '#c', '#a', '#d', '#b']) await home.client.joinChannel(name, 'jean');

  const pages = await throughPages(home, {
    ...{ path: '/api/v1/channels', cursor: 'after', key: 'channel' },
  });

  expect(pages).toEqual([['#a', '#b'], ['#c', '#d'], ['#e']]);
  expect((await home.client.channels()).items).toHaveLength(5);
});

test('subscriptions come in pages, in the order of their types', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  for (const event_type of ['c', 'a', 'b']) {
    await home.client.subscribe({ agent: 'jean', event_type });
  }

  const pages = await throughPages(home, {
    ...{ path: '/api/v1/subscriptions?agent=jean', cursor: 'after', key: 'event_type' },
  });

  expect(pages).toEqual([['a', 'b'], ['c']]);
  expect((await home.client.subscriptions('jean')).items).toHaveLength(3);
});

test('secrets come in pages, in the order of their names', async () => {
  await using home = await temporaryGateway();
  for (const name of ['c', 'a', 'b', 'd']) {
    await home.client.setSecret({ name, value: `a long secret of ${name}` });
  }

  const pages = await throughPages(home, {
    ...{ path: '/api/v1/secrets', cursor: 'after', key: 'name' },
  });

  expect(pages).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect((await home.client.secrets()).items).toHaveLength(4);
});

test('links come in pages, the newest first, and nobody goes on behind those of others', async () => {
  await using home = await temporaryGateway();
  const { handle } = await home.client.register('jean');
  const made: string[] = [];
  for (let number = 0; number < 5; number++) made.unshift((await home.client.uploadLink({})).id);
  await home.client.uploadLink({ as: 'jean' }).then(({ id }) => made.unshift(id));

  const pages = await throughPages(home, {
    ...{ path: '/api/v1/transfers/links', cursor: 'before', key: 'id' },
  });
  const of = (before: string) =>
    send({
      at: home.agentSocket('jean'),
      path: `/api/v1/transfers/links?before=${before}`,
      headers: bearer(handle),
    });

  expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
  expect(new Set(pages.flat())).toEqual(new Set(made));
  expect((await home.client.transferLinks({})).items).toHaveLength(6);
  const strange = await of(made.at(-1) ?? '');
  expect(strange.json).toEqual((await of('no-link')).json);
});

// What is in these cannot grow by what anybody sends, or is a page by itself.
const withoutPages = new Set([
  ...['tools', 'usage'],
  // At most 50.
  'artifacts',
  // At most 1000; reading is how one goes on.
  'inbox',
]);

test('every list has pages, but for those that cannot grow', () => {
  const all: readonly (readonly [string, Verb])[] = Object.entries(routes);
  const lists = all.filter(([, { method, output }]) => {
    const shape = 'shape' in output ? output.shape : {};
    return method === 'GET' && typeof shape === 'object' && shape !== null && 'items' in shape;
  });

  const unpaged = lists.filter(([name, { query }]) => {
    const shape = 'shape' in query && typeof query.shape === 'object' ? query.shape : null;
    const isPaged = shape !== null && 'limit' in shape && ('after' in shape || 'before' in shape);
    return !isPaged && !withoutPages.has(name);
  });

  expect(lists.length).toBeGreaterThan(10);
  expect(unpaged.map(([name]) => name)).toEqual([]);
});
