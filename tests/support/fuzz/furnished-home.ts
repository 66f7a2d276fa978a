/** A home in which there is something of everything, so that requests can be about it. */
import { writeFileSync } from 'node:fs';
import type { Client } from '../../../src/gateway/client/client.ts';
import type { TemporaryFolder } from '../temporary-folder.ts';
import { sha256, storedOf } from '../temporary-transfers.ts';
import type { Words } from './words.ts';

const rights = [
  ...['message:*:send', 'transfer:*:send', 'tool:*:call', 'operation:*:start', 'file:/srv/**:read'],
];

/** The name of a model whose agents leave an artifact. */
export function scriptedModel(folder: TemporaryFolder): string {
  const path = folder.at('script.json');
  writeFileSync(path, JSON.stringify(script));
  return `scripted:${path}`;
}

const leave = { tool: 'artifact.create', args: { name: 'a.txt', content: 'a' } };
const script = {
  scripted_model: 1,
  turns: [
    { say: 'I write.', call: [leave] },
    { say: 'All done.', delay_ms: 200 },
  ],
};

interface Wish {
  /** The one that will call. */
  readonly agent: string;
  /** The address of the outsider that will. */
  readonly outsider: string;
  readonly model: string;
  readonly words: Words;
}

export async function furnish(
  client: Client,
  { agent, outsider, model, words }: Wish,
): Promise<{ readonly handle: string }> {
  const { handle } = await client.register(agent);
  for (const name of ['bob', 'carl']) await client.register(name);
  for (const capability of rights) await client.grant({ agent, capability });
  await client.grant({ agent: 'bob', capability: 'file:/etc/hostname:read', ask: true });
  await client.grant({ agent: outsider, capability: 'operation:*:start' });
  words.add('grantee', outsider);
  words.add('model', model);
  words.add('template', 'default');
  for (let number = 0; number < 24; number++) {
    await sendFile(client, { number, from: agent, to: number % 2 === 0 ? 'bob' : agent }, words);
    await askForApproval(client, words);
  }
  return { handle };
}

interface Sending {
  readonly number: number;
  readonly from: string;
  readonly to: string;
}

async function sendFile(
  client: Client,
  { number, from: as, to }: Sending,
  words: Words,
): Promise<void> {
  const text = `what was found, ${number}`;
  const facts = { size_bytes: text.length, sha256: sha256(text) };
  const begun = await client.beginUpload({
    ...{ as, filename: 'report.md', kind: 'file', to: [to], sealed: true },
    ...facts,
  });
  if (begun.state !== 'open') throw new Error(`an upload is ${begun.state}`);
  const bytes = storedOf(text, begun.dek);
  await client.uploadBytes(begun.upload, once(bytes), { from: 0, as });
  const { transfers } = await client.finishUpload(begun.upload, {
    ...{ as, stored_bytes: bytes.length },
    ...facts,
  });
  for (const { id } of transfers) words.add('id transfers', id);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function askForApproval(client: Client, words: Words): Promise<void> {
  const { approval } = await client.callTool('file.read', {
    args: { path: '/etc/hostname' },
    as: 'bob',
  });
  if (approval === null) throw new Error('nobody was asked');
  words.add('id approvals', approval);
  words.add('approval hash', (await client.approval(approval)).hash);
}
