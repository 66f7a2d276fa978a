import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger } from '../../../tests/support/temporary-ledger.ts';
import { insertAgent } from '../../ledger/agents.ts';
import type { Transaction } from '../../ledger/ledger.ts';
import { composeEngines } from '../home/compose.ts';
import { lockHome } from '../home/open-home.ts';
import { examine } from './examine.ts';

/** A home whose ledger and folders a test fills. */
function world() {
  const folder = temporaryFolder();
  mkdirSync(folder.at('agents'));
  const engines = composeEngines();
  return {
    folder,
    engines,
    async fill(work: (tx: Transaction) => Promise<void>) {
      await using ledger = await openTestLedger(folder.at('ledger.db'));
      await ledger.transact(work);
    },
    async look() {
      const environment = { AOS_HOME: folder.path };
      const { signal } = new AbortController();
      const [finding] = await examine({ ...engines, environment, flags: [], signal }, ['relay']);
      return finding;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

interface Put {
  readonly recipient: string;
  readonly state: 'accepted' | 'dead';
  readonly ageMs?: number;
  readonly readAt?: number;
}

async function put(tx: Transaction, { recipient, state, ageMs = 0, readAt }: Put): Promise<void> {
  const now = Date.now() - ageMs;
  const row = await tx.get<{ id: number }>(
    `insert into messages (message_id, agent_name, direction, status, message_type, target,
       discovered_at, priority, headers, body, size_bytes, expires_at)
     values (hex(randomblob(16)), 'jean', 'outbox', 'completed', 'message', $1, $2, 5, '{}', '', 0, $2)
     returning id`,
    [recipient, now],
  );
  await tx.run(
    `insert into deliveries (message, recipient, state, priority, stamp_ns, size_bytes, due_at,
       expires_at, accepted_at, ended_at, read_at)
     values ($1, $2, $3, 5, '1', 0, $4, $4, $4, $5, $6)`,
    [row?.id ?? 0, recipient, state, now, state === 'dead' ? now : null, readAt ?? null],
  );
}

const dayMs = 86_400_000;

test('a home without a ledger, and one without troubles, are well', async () => {
  await using here = world();
  const well = { state: 'ok', says: 'nothing keeps messages from arriving' };

  expect(await here.look()).toMatchObject(well);
  await here.fill(async () => {});
  expect(await here.look()).toMatchObject(well);
});

test('messages that wait for a Lead while nobody is one are counted', async () => {
  await using here = world();
  await here.fill(async (tx) => {
    await put(tx, { recipient: 'Lead', state: 'accepted' });
    await put(tx, { recipient: 'Lead', state: 'accepted' });
  });

  expect(await here.look()).toMatchObject({
    state: 'warning',
    says: '2 messages wait for a Lead, and nobody is Lead',
    fix: 'aos lead set NAME',
  });
});

test('messages that wait for an agent called Lead are on their way', async () => {
  await using here = world();
  await here.fill(async (tx) => {
    const facts = { status: 'active', state: 'pending', body: 'guest' } as const;
    await insertAgent(tx, { name: 'Lead', registered_at: 0, ...facts });
    await put(tx, { recipient: 'Lead', state: 'accepted' });
  });

  expect(await here.look()).toMatchObject({ state: 'ok' });
});

test('dead letters of the last day are counted, without those that a recipient refused', async () => {
  await using here = world();
  await here.fill(async (tx) => {
    await put(tx, { recipient: 'samantha', state: 'dead' });
    await put(tx, { recipient: 'samantha', state: 'dead', readAt: 1 });
    await put(tx, { recipient: 'samantha', state: 'dead', ageMs: 2 * dayMs });
  });

  expect(await here.look()).toMatchObject({
    state: 'warning',
    says: '1 message could not be delivered in the last day',
    fix: expect.stringContaining('aos why'),
  });
});

test('what stands under agents/ and cannot be an agent is named', async () => {
  await using here = world();
  await here.fill(async (tx) => {
    const facts = { status: 'active', state: 'pending', body: 'guest' } as const;
    await insertAgent(tx, { name: 'jean', registered_at: 0, ...facts });
  });
  for (const name of ['1st', 'JEAN', 'lawful', '.hidden'])
    mkdirSync(here.folder.at(`agents/${name}`));

  expect(await here.look()).toMatchObject({
    state: 'warning',
    says: 'under agents/ stands what cannot be an agent: "1st", "JEAN"',
  });
});

/** An outbox with a file that has lain there for that long. */
function outbox(folder: { at(path: string): string }, agent: string, ageMs: number): void {
  mkdirSync(folder.at(`agents/${agent}/outbox`), { recursive: true });
  const path = folder.at(`agents/${agent}/outbox/x.msg`);
  writeFileSync(path, '');
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(path, seconds, seconds);
}

test('an outbox that a daemon does not take from is named', async () => {
  await using here = world();
  await here.fill(async () => {});
  outbox(here.folder, 'jean', 120_000);
  outbox(here.folder, 'samantha', 1000);
  symlinkSync(here.folder.at('agents/jean'), here.folder.at('agents/link'));
  await using _lock = await lockHome(here.engines, here.folder.path, { holder: 'daemon' });

  expect(await here.look()).toMatchObject({
    state: 'warning',
    says: expect.stringMatching(/nothing takes them: "jean"/),
    fix: expect.stringContaining(join('logs', 'daemon.log')),
  });
});

test("an outbox is nobody's trouble while no daemon runs", async () => {
  await using here = world();
  await here.fill(async () => {});
  outbox(here.folder, 'jean', 120_000);

  expect(await here.look()).toMatchObject({ state: 'ok' });
});
