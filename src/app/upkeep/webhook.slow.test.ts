import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { temporaryTools, testTool } from '../../../tests/support/temporary-tools.ts';
import { realClock } from '../../engines/clock.ts';
import { postApproval } from './approval-webhook.ts';

interface Hook extends AsyncDisposable {
  readonly url: string;
  readonly got: readonly { readonly type: string | undefined; readonly body: string }[];
}

async function hook(status: number, headers: Record<string, string> = {}): Promise<Hook> {
  const got: { type: string | undefined; body: string }[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      got.push({ type: request.headers['content-type'], body });
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function asked() {
  const home = await temporaryTools();
  home.tools.register(testTool('test.do', async () => 1));
  const grant = { agent: 'jean', capability: 'tool:*:call', asks: true };
  await home.capabilities.grant(grant, 'owner');
  await home.calls.call({ principal: 'agent:jean', tool: 'test.do', args: { name: 'private' } });
  const [approval] = await home.approvals();
  if (approval === undefined) throw new Error('nothing waits');
  return { home, approval, deps: { sql: home.ledger.committed, clock: realClock } };
}

test('a request tells who asks for what, and not with which arguments', async () => {
  await using there = await hook(204);
  const { approval, deps } = await asked();

  await postApproval(deps, there.url, approval.id);

  expect(there.got).toHaveLength(1);
  expect(there.got[0]?.type).toBe('application/json');
  expect(JSON.parse(there.got[0]?.body ?? '')).toMatchObject({
    ...{ type: 'approval.asked', id: approval.id, agent: 'jean', tool: 'test.do' },
    hash: approval.hash,
  });
  expect(there.got[0]?.body).not.toContain('private');
});

test.each([
  ['a failure', 500, {}],
  ['being sent on', 302, { location: 'http://127.0.0.1:1/' }],
])('%s is an error, so that it is tried again', async (_what, status, headers) => {
  await using there = await hook(status, headers);
  const { approval, deps } = await asked();

  const posting = postApproval(deps, there.url, approval.id);

  await expect(posting).rejects.toMatchObject({ code: 'http.unreachable' });
});

test('nothing is sent for what was answered, or for what there is not', async () => {
  await using there = await hook(204);
  const { home, approval, deps } = await asked();
  const { id, hash } = approval;
  await home.calls.answer({ id, hash, by: 'owner', verdict: { kind: 'deny', reason: 'no' } });

  await postApproval(deps, there.url, id);
  await postApproval(deps, there.url, 'unknown');

  expect(there.got).toEqual([]);
});
