import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryTransfers } from '../../../tests/support/temporary-transfers.ts';
import { realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { insertAgent } from '../../ledger/agents.ts';
import { findPrincipal, insertPrincipal } from '../../ledger/security/principals.ts';
import { openAgentKeys } from './principal-keys.ts';

test.each(['owner', 'agent:jared'])(
  'the key of %s is the one of which the ledger has the public half',
  async (principal) => {
    await using here = await temporaryTransfers();

    const { address, publicKey } = await here.deps.keys.of(principal);

    expect(await findPrincipal(here.ledger.committed, principal)).toMatchObject({
      ...{ address, public_key: publicKey },
    });
  },
);

test('the key of an agent on a model is derived, and files reach it as any other', async () => {
  await using here = await temporaryTransfers();
  const engines = { disk: realDisk, random: realRandom };
  const key = (await openAgentKeys(engines, here.folder.path)).of('claude');
  await here.ledger.transact(async (tx) => {
    const facts = { status: 'active', state: 'pending', body: 'model' } as const;
    await insertAgent(tx, { name: 'claude', registered_at: 0, ...facts });
    const { address, publicKey: public_key } = key;
    await insertPrincipal(tx, {
      id: 'agent:claude',
      kind: 'agent',
      address,
      public_key,
      created_at: 0,
    });
  });

  const [sent] = await here.send('samantha', 'for you', { to: ['claude'] });

  expect(await here.read('claude', sent?.id ?? '')).toBe('for you');
});

test('a key that is lost, and one that is another, is told and not made anew', async () => {
  await using here = await temporaryTransfers();
  const { secretKey } = await here.deps.keys.of('agent:jean');
  const hex = Buffer.from(secretKey).toString('hex');
  const jean = await findPrincipal(here.ledger.committed, 'agent:jean');
  const path = here.folder.at('keys', 'agent-jared.key');
  rmSync(path);

  const lost = here.deps.keys.of('agent:jared');
  await expect(lost).rejects.toMatchObject({ code: 'identity.missing-key' });
  const file = {
    version: 1,
    principal: 'agent:jared',
    address: jean?.address,
    secret_key: `0x${hex}`,
  };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const other = here.deps.keys.of('agent:jared');
  await expect(other).rejects.toMatchObject({ code: 'identity.broken-key' });
  await expect(here.deps.keys.of('agent:nobody')).rejects.toMatchObject({
    code: 'identity.missing-key',
  });
});
