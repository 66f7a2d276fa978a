import { describe, expect, test } from 'vitest';
import { secretsOf, type TestSecret } from '../../../tests/support/http-world.ts';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import type { ToolCall } from '../../tools/tool.ts';
import { type FilledHeaders, fillHeaders } from './secret-headers.ts';

const bound = { host: 'api.test', port: 443, header: 'authorization' };
const token: TestSecret = { ...bound, name: 'token', value: 'canary-value', prefix: 'Bearer ' };

interface Asking {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly secrets?: readonly TestSecret[];
  readonly mayUse?: readonly string[];
  readonly addresses?: readonly string[];
}

async function filled(asking: Asking): Promise<FilledHeaders & { permitted: readonly string[] }> {
  const { url = 'https://api.test/', headers = {}, secrets = [token], mayUse = ['token'] } = asking;
  const permitted: string[] = [];
  const nameOf = (action: { resource: string }) => ('name' in action ? String(action.name) : '');
  const call: ToolCall = {
    id: 'call-1',
    principal: 'agent:jean',
    key: 'key-1',
    signal: new AbortController().signal,
    outputBytes: 1000,
    permits: [],
    may: async (action) => mayUse.includes(nameOf(action)),
    approvedReason: async () => undefined,
    async permit(action) {
      permitted.push(nameOf(action));
      return { sizeBytes: undefined, namedParts: 0 };
    },
  };
  const outgoing = {
    method: 'GET',
    url: parseRequestUrl(url),
    headers: new Map(Object.entries(headers)),
    body: undefined,
  } as const;
  const { addresses = ['93.184.216.34'] } = asking;
  return { ...(await fillHeaders(secretsOf(...secrets), call, outgoing, addresses)), permitted };
}

describe('a secret is put', () => {
  test('into its header, behind its prefix, and its use is counted', async () => {
    const { headers, secret, permitted } = await filled({ headers: { 'x-a': '1' } });

    expect(Object.fromEntries(headers)).toEqual({
      'x-a': '1',
      authorization: 'Bearer canary-value',
    });
    expect([...secret]).toEqual(['authorization']);
    expect(permitted).toEqual(['token']);
  });

  test('in the place of its placeholder, raw, as often as it is there', async () => {
    const text = 'Token {{secret:token}}/{{secret:token}} $& {{secret:other}}';

    const { headers, permitted } = await filled({ headers: { authorization: text } });

    expect(headers.get('authorization')).toBe(
      'Token canary-value/canary-value $& {{secret:other}}',
    );
    expect(permitted).toEqual(['token']);
  });

  test('over http only to this machine', async () => {
    const secrets = [{ ...token, port: 80 }];
    const url = 'http://api.test/';

    const inside = await filled({ url, secrets, addresses: ['127.0.0.1', '::1'] });
    const outside = await filled({ url, secrets, addresses: ['127.0.0.1', '10.0.0.1'] });

    expect(inside.headers.has('authorization')).toBe(true);
    expect(outside.headers.has('authorization')).toBe(false);
  });

  test('where two are for one header, only by its placeholder', async () => {
    const both = { secrets: [token, { ...token, name: 'second' }], mayUse: ['token', 'second'] };

    const attempt = filled(both);
    const chosen = await filled({ ...both, headers: { authorization: '{{secret:second}}' } });

    await expect(attempt).rejects.toMatchObject({ code: 'secret.taken' });
    await expect(attempt).rejects.toBeInstanceOf(AosError);
    expect(chosen.permitted).toEqual(['second']);
    expect((await filled({ ...both, mayUse: ['second'] })).permitted).toEqual(['second']);
  });
});

describe('a secret stays away', () => {
  test.each<readonly [string, Asking]>([
    ['from another host', { url: 'https://api.test.evil.test/' }],
    ['from a host below', { url: 'https://x.api.test/' }],
    ['from another port', { url: 'https://api.test:8443/' }],
    ['from who may not use it', { mayUse: [] }],
    ['from a header that the caller filled', { headers: { authorization: 'mine' } }],
  ])('%s', async (_, asking) => {
    const { headers, secret, permitted } = await filled(asking);

    expect(JSON.stringify([...headers])).not.toContain('canary');
    expect([...secret, ...permitted]).toEqual([]);
  });

  test.each<readonly [string, Asking]>([
    [
      'of another host',
      { url: 'https://evil.test/', headers: { authorization: '{{secret:token}}' } },
    ],
    ['in another header', { headers: { 'x-a': '{{secret:token}}', authorization: 'mine' } }],
    ['of who may not use it', { mayUse: [], headers: { authorization: '{{secret:token}}' } }],
    [
      'that is written otherwise',
      { headers: { authorization: '{{secret: token}} {{ secret:token}}' } },
    ],
  ])('and a placeholder %s as it was written', async (_, asking) => {
    const { headers, permitted } = await filled(asking);

    expect(Object.fromEntries(headers)).toEqual(asking.headers);
    expect(permitted).toEqual([]);
  });
});
