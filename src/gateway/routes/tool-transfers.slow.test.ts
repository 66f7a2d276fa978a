import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { temporaryGateway } from '../../../tests/support/temporary-gateway.ts';
import { grantsHeldBy } from '../../ledger/security/grants.ts';

/** Jean and sam, each with just these capabilities, and a folder that they may use. */
async function homeWith(...capabilities: readonly string[]) {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await temporaryGateway());
  const place = opened.use(temporaryFolder());
  mkdirSync(place.at('data'));
  for (const name of ['jean', 'sam']) await home.client.register(name);
  for (const { id } of await grantsHeldBy(home.ledger.committed, 'agent:jean')) {
    await home.client.revoke(id);
  }
  for (const agent of ['jean', 'sam']) {
    await home.client.grant({ agent, capability: `file:${place.path}/data/*:read,write` });
  }
  for (const capability of capabilities) await home.client.grant({ agent: 'jean', capability });
  const call = (as: string, name: string, args: object) =>
    home.client.callTool(name, { args: { ...args }, as });
  const kept = opened.move();
  return {
    ...{ ...home, place, call },
    resultOf: async (as: string, name: string, args: object) =>
      (await call(as, name, args)).output as Record<string, unknown>,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

test('a file goes from one agent to another by tools alone, and its sender is told', async () => {
  await using home = await homeWith('transfer:sam:send{max:1}');
  const path = home.place.at('data', 'report.md');
  writeFileSync(path, 'a report');

  const sent = await home.resultOf('jean', 'transfer.send', { path, to: ['sam'] });
  const listed = await home.resultOf('sam', 'transfer.list', { status: 'pending' });
  const [item] = listed['transfers'] as { id: string; sender: string }[];
  const to = home.place.at('data', 'received.md');
  const got = await home.resultOf('sam', 'transfer.download', { id: item?.id, path: to });

  expect(sent).toMatchObject({ filename: 'report.md', transfers: [{ recipient: 'sam' }] });
  expect(item?.sender).toBe('jean');
  expect(got).toMatchObject({ path: to, filename: 'report.md', sender: 'jean' });
  expect(readFileSync(to, 'utf8')).toBe('a report');
  expect(readdirSync(home.place.at('data')).sort()).toEqual(['received.md', 'report.md']);
  // The one use that the grant has is spent.
  const again = home.call('jean', 'transfer.send', { path, to: ['sam'] });
  await expect(again).rejects.toMatchObject({ code: 'capability.used-up' });
});

test('without a grant for the recipient nothing is sent', async () => {
  await using home = await homeWith('transfer:owner:send');
  const path = home.place.at('data', 'report.md');
  writeFileSync(path, 'a report');

  const sending = home.call('jean', 'transfer.send', { path, to: ['owner', 'sam'] });

  await expect(sending).rejects.toMatchObject({ code: 'capability.denied' });
  expect((await home.client.transfers({ box: 'all' })).items).toEqual([]);
});

test('a file outside its grants is neither sent nor written, also behind a symlink', async () => {
  await using home = await homeWith('transfer:*:send');
  const outside = home.place.at('secret');
  writeFileSync(outside, 'secret');
  symlinkSync(outside, home.place.at('data', 'link'));
  const path = home.place.at('data', 'report.md');
  writeFileSync(path, 'a report');
  const sent = await home.resultOf('jean', 'transfer.send', { path, to: ['sam'] });
  const [{ id } = { id: '' }] = sent['transfers'] as { id: string }[];

  for (const from of [outside, home.place.at('data', 'link')]) {
    const sending = home.call('jean', 'transfer.send', { path: from, to: ['sam'] });
    await expect(sending).rejects.toMatchObject({ code: 'capability.denied' });
  }
  const writing = home.call('sam', 'transfer.download', { id, path: home.place.at('elsewhere') });
  await expect(writing).rejects.toMatchObject({ code: 'capability.denied' });
  // What stands there is replaced, and not what it leads to.
  const link = home.place.at('data', 'link');
  await home.call('sam', 'transfer.download', { id, path: link, force: true });

  expect(lstatSync(link).isFile()).toBe(true);
  expect(readFileSync(outside, 'utf8')).toBe('secret');
});

test("what is somebody else's is as missing as what never was", async () => {
  await using home = await homeWith('transfer:*:send');
  const path = home.place.at('data', 'report.md');
  writeFileSync(path, 'a report');
  const sent = await home.resultOf('jean', 'transfer.send', { path, to: ['sam'] });
  const [{ id } = { id: '' }] = sent['transfers'] as { id: string }[];
  const to = home.place.at('data', 'mine');

  const foreign = home.call('jean', 'transfer.download', { id, path: to });
  const missing = home.call('jean', 'transfer.download', { id: '0'.repeat(32), path: to });

  const codes = await Promise.all(
    [foreign, missing].map((attempt) =>
      attempt.then(
        () => 'done',
        (failure: { code: string }) => failure.code,
      ),
    ),
  );
  expect(codes).toEqual(['transfer.unknown', 'transfer.unknown']);
});
