/** Phases 1 and 2, in which an operation carries its artifacts, and 3, in which it does not. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Grantee } from '../../../../tests/support/grantee.ts';
import { good, type WireOperation } from '../../../../tests/support/outsider-home.ts';
import { temporaryGateway } from '../../../../tests/support/temporary-gateway.ts';
import { beginOperation, once } from '../../../../tests/support/temporary-operations.ts';
import { untilTrue } from '../../../../tests/support/until.ts';
import { defaultSettings } from '../../../app/config/settings.ts';
import { realRandom } from '../../../engines/clock.ts';
import { newId } from '../../../kernel/new-id.ts';
import { endOperation } from '../../../ledger/operations/operations.ts';

/** A gateway in that phase, with an operation that has made these; and what its owner is told. */
async function toldIn(phase: number, sizes: Readonly<Record<string, number>>) {
  const settings = { ...defaultSettings, artifactPhase: phase };
  await using gateway = await temporaryGateway({}, {}, { settings });
  const { ledger, operations } = gateway;
  const port = await gateway.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  const [alice, reader] = [new Grantee(), new Grantee()];
  const id = newId(Date.now(), realRandom);
  await gateway.client.grant({ agent: alice.address, capability: 'operation:*:start' });
  await gateway.client.grant({ agent: reader.address, capability: `operation:${id}:read` });
  // From now on her key is known.
  await alice.call(base, { uri: '/api/v1/operations' });
  const owner = `grantee:${alice.address}`;
  await beginOperation(ledger, { id, agent: 'worker', owner, at: Date.now() });
  const contents = new Map<string, Buffer>();
  for (const [name, sizeBytes] of Object.entries(sizes)) {
    const bytes = randomBytes(sizeBytes);
    contents.set(name, bytes);
    await operations.create(id, { name, content: once(bytes) });
  }
  const end = { to: 'completed', result: '{"text":"done"}', at: Date.now() } as const;
  await ledger.transact((tx) => endOperation(tx, id, end));
  operations.wake();
  const uri = `/api/v1/operations/${id}`;
  const ask = (grantee: Grantee) => grantee.call(base, { uri });
  await untilTrue(async () => (await ask(alice)).text.includes('"succeeded"'));
  const answer = await ask(alice);
  const { artifacts } = good<WireOperation>(answer, 200).artifacts;
  const opened = artifacts.map(({ name, content, encryption_key_encrypted: key, id: object }) => {
    if (content === undefined) return [name, 'left out'];
    const bytes = Buffer.from(content, 'base64');
    const plain = alice.open({ bytes, key: key ?? '', id: object });
    return [name, plain.equals(contents.get(name) ?? Buffer.alloc(0)) ? 'opens' : 'does not open'];
  });
  return {
    headers: answer.headers,
    opened: Object.fromEntries(opened),
    forReader: await ask(reader),
    listed: await alice.call(base, { uri: '/api/v1/operations' }),
  };
}

test.each([1, 2])(
  'in phase %d an operation carries what is sealed, marked as deprecated',
  async (phase) => {
    const { headers, opened, forReader, listed } = await toldIn(phase, {
      'a.txt': 5,
      'b/c': 70_000,
    });

    expect(opened).toEqual({ 'a.txt': 'opens', 'b/c': 'opens' });
    expect(headers['deprecation']).toMatch(/^@\d+$/);
    expect(headers['link']).toContain('rel="deprecation"');
    expect(headers['warning']).toBeUndefined();
    expect(forReader.status).toBe(200);
    expect(forReader.text).not.toContain('"content"');
    expect(listed.text).not.toContain('"content":');
  },
);

test('a large one comes with a warning, and a very large one does not come', async () => {
  const sizes = { 'just-below.bin': 990_000, 'lärge.bin': 1_000_001, 'huge.bin': 10_000_001 };
  const { headers, opened } = await toldIn(1, sizes);

  expect(opened).toEqual({
    ...{ 'just-below.bin': 'opens', 'lärge.bin': 'opens', 'huge.bin': 'left out' },
  });
  const warning = String(headers['warning']);
  expect(warning).toMatch(/^299 - "[ -~]+"$/);
  expect(warning).toContain(encodeURIComponent('lärge.bin'));
  expect(warning).toContain('huge.bin');
  expect(warning).not.toContain('just-below');
});

test('in phase 3 nothing is carried, and nothing is deprecated', async () => {
  const { headers, opened } = await toldIn(3, { 'a.txt': 5, 'large.bin': 1_000_001 });

  expect(opened).toEqual({ 'a.txt': 'left out', 'large.bin': 'left out' });
  expect(headers['deprecation']).toBeUndefined();
  expect(headers['warning']).toBeUndefined();
});
