/**
 * The floor of `gateway.post`, a program of its own: nothing but Fastify, the route that takes
 * messages with its schemas, and one transaction of the ledger with the rows that a message
 * leaves which nobody has fetched. `bare-post.ts LEDGER SOCKET`
 */
import Fastify from 'fastify';
import * as z from 'zod';
import { realClock, realRandom } from '../src/engines/clock.ts';
import { type Body, routes } from '../src/gateway/contract/contract.ts';
import { newId } from '../src/kernel/new-id.ts';
import { insertDelivery } from '../src/ledger/messages/deliveries.ts';
import { growMailbox, insertMessage } from '../src/ledger/messages/messages.ts';
import { openBenchLedger } from './ledger.ts';

const [ledgerPath = '', path = ''] = process.argv.slice(2);
const ledger = await openBenchLedger(ledgerPath, 1);
const { input: body, output: answer, status, path: route } = routes.send;
const weekMs = 7 * 24 * 3_600_000;
let stamps = 0;

const app = Fastify({ logger: false });
app.post<{ Body: Body<'send'> }>(
  route,
  { schema: { body: jsonSchema(body), response: { [status]: jsonSchema(answer) } } },
  async (request, reply) => {
    const id = await keep(request.body);
    reply.code(status);
    return { id, state: 'accepted', recipients: 1 };
  },
);
await app.listen({ path });
process.stdout.write('ready\n');

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) };
}

/** What a plain message has not, that came in no file. */
const without = {
  source_name: null,
  file_path: null,
  file_size: null,
  file_mtime_ns: null,
  file_inode: null,
  checksum: null,
  last_error: null,
  thread: null,
  re: null,
  event_type: null,
  dedup_key: null,
  receipt: null,
} as const;

/** Resolves to the id once everything is on disk. */
function keep({ from = 'owner', to, body: text = '' }: Body<'send'>): Promise<string> {
  const at = realClock.now();
  const id = newId(at, realRandom);
  const bytes = Buffer.byteLength(text);
  const known = { priority: 5, size_bytes: bytes, expires_at: at + weekMs };
  return ledger.transact(async (tx) => {
    const message = await insertMessage(tx, {
      ...without,
      ...known,
      message_id: id,
      agent_name: from,
      direction: 'outbox',
      status: 'completed',
      message_type: 'message',
      target: to,
      discovered_at: at,
      processed_at: at,
      headers: '{}',
      body: text,
    });
    if (message === undefined) throw new Error('the id of a new message was taken');
    await insertDelivery(tx, {
      ...known,
      message,
      recipient: to,
      state: 'accepted',
      stamp_ns: `${at}${String(stamps++ % 1_000_000).padStart(6, '0')}`,
      subscription: 0,
      owner: null,
      via: null,
      error: null,
      accepted_at: at,
      read_at: null,
      ended_at: null,
    });
    await growMailbox(tx, to, { messages: 1, bytes });
    await tx.record({
      actor: `agent:${from}`,
      kind: 'message.accepted',
      subject: `message:${id}`,
      data: { to, kind: 'message', recipients: 1, bytes, grants: [id] },
    });
    return id;
  });
}
