/**
 * The floor of `gateway.get`, a program of its own: nothing but Fastify, one route of the
 * contract with its schemas, and an answer that is always the same. `bare-fastify.ts SOCKET`
 */
import Fastify from 'fastify';
import * as z from 'zod';
import { routes, type WireAgent } from '../src/gateway/contract/contract.ts';

const [path = ''] = process.argv.slice(2);
const { params, query, output: answer } = routes.agent;

const agent: WireAgent = {
  name: 'jean',
  address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  status: 'active',
  state: 'pending',
  body: 'guest',
  registered_at: '2030-01-31T12:00:00.000Z',
  last_seen_at: null,
  parent: null,
  state_at: null,
  reason: null,
  health: null,
  pid: null,
  model: null,
  sandbox: null,
  tokens: 0,
  cost: 0,
};

const app = Fastify({ logger: false });
app.get(
  '/api/v1/agents/:name',
  {
    schema: {
      params: jsonSchema(params),
      querystring: jsonSchema(query),
      response: { 200: jsonSchema(answer) },
    },
  },
  async () => agent,
);
await app.listen({ path });
process.stdout.write('ready\n');

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) };
}
