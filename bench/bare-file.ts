/**
 * The floor of `operations.download`, a program of its own: nothing but Fastify and a stream of
 * one file. `bare-file.ts FILE SOCKET`
 */
import { createReadStream, statSync } from 'node:fs';
import Fastify from 'fastify';

const [file = '', path = ''] = process.argv.slice(2);
const size = statSync(file).size;

const app = Fastify({ logger: false });
app.get('/file', (_request, reply) =>
  reply
    .type('application/octet-stream')
    .header('content-length', String(size))
    .send(createReadStream(file)),
);
await app.listen({ path });
process.stdout.write('ready\n');
