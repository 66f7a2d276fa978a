/**
 * The floor of `gateway.sse`, a program of its own: nothing but Fastify, answers that do not end,
 * and one text that is written to all of them when a message comes. `bare-feed.ts SOCKET`
 */
import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';

const [path = ''] = process.argv.slice(2);
const answers = new Set<ServerResponse>();
let seq = 0;

const app = Fastify({ logger: false });
app.get('/api/v1/events', async (_request, reply) => {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  raw.write(`id: ${seq}\n: still here\n\n`);
  answers.add(raw);
  raw.once('close', () => answers.delete(raw));
  return reply;
});
app.post('/api/v1/messages', async (_request, reply) => {
  seq++;
  const text = `id: ${seq}\nevent: message.accepted\ndata: ${JSON.stringify(eventAt(seq))}\n\n`;
  for (const answer of answers) answer.write(text);
  reply.code(202);
  return { id: String(seq), state: 'accepted', recipients: 1 };
});
await app.listen({ path });
process.stdout.write('ready\n');

function eventAt(number: number) {
  const digest = '0'.repeat(64);
  return {
    seq: number,
    at: '2030-01-31T12:00:00.000Z',
    actor: 'agent:jean',
    kind: 'message.accepted',
    subject: 'message:01a1e3b88c31136313798f1609a3912c',
    data: { to: 'owner', kind: 'message', recipients: 1, bytes: 200, grants: ['01a1e3b88be0'] },
    data_digest: digest,
    prev_hash: digest,
    hash: digest,
  };
}
