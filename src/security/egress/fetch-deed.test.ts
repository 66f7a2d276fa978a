import { expect, test } from 'vitest';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import { fetchDeed, requestDeed, tunnelDeed } from './fetch-deed.ts';

test('fetchDeed() names the host, the port and the decoded path', () => {
  const deed = fetchDeed(parseRequestUrl('https://h/a%20b/'), 'get');

  expect(deed).toEqual({
    resource: 'http',
    action: 'get',
    host: 'h',
    port: 443,
    path: ['a b', ''],
  });
});

test.each([
  ['https://example.com/', undefined],
  ['https://8.8.8.8/', undefined],
  ['https://[2606:4700::1]/', undefined],
  ['https://notlocalhost/', undefined],
  ['https://localhost.example/', undefined],
  ['http://127.0.0.1/', true],
  ['http://10.0.0.5/', true],
  ['http://[::1]/', true],
  ['http://[::ffff:7f00:1]/', true],
  ['http://[64:ff9b::a9fe:a9fe]/', true],
  ['http://localhost/', true],
  ['http://a.localhost/', true],
])('whether %s has to be named by a grant: %s', (url, expected) => {
  expect(fetchDeed(parseRequestUrl(url), 'get').mustNameHost).toBe(expected);
});

test('requestDeed() knows the methods; any other needs what allows every one', () => {
  const url = parseRequestUrl('https://h/a');

  const actions = ['GET', 'DELETE', 'PROPFIND', 'toString'].map(
    (method) => requestDeed(method, url).action,
  );

  expect(actions).toEqual(['get', 'delete', 'request', 'request']);
});

test('tunnelDeed() is the whole place, by every method', () => {
  const place = {
    ...{ resource: 'http', action: 'request', port: 443, path: [] },
    everyPath: true,
  };

  expect(tunnelDeed({ host: 'h', port: 443 })).toEqual({ ...place, host: 'h' });
  expect(tunnelDeed({ host: '10.0.0.1', port: 443 })).toEqual({
    ...{ ...place, host: '10.0.0.1' },
    mustNameHost: true,
  });
});

test.each(['GET', 'read', '*', '', 'toString'])('fetchDeed() knows no action %j', (action) => {
  expect(() => fetchDeed(parseRequestUrl('https://h/'), action)).toThrow(
    expect.objectContaining({ code: 'capability.bad' }),
  );
});
