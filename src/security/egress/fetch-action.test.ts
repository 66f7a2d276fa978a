import { expect, test } from 'vitest';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import { fetchAction, requestAction, tunnelAction } from './fetch-action.ts';

test('fetchAction() names the host, the port and the decoded path', () => {
  const action = fetchAction(parseRequestUrl('https://h/a%20b/'), 'get');

  expect(action).toEqual({
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
  expect(fetchAction(parseRequestUrl(url), 'get').mustNameHost).toBe(expected);
});

test('requestAction() knows the methods; any other needs what allows every one', () => {
  const url = parseRequestUrl('https://h/a');

  const actions = ['GET', 'DELETE', 'PROPFIND', 'toString'].map(
    (method) => requestAction(method, url).action,
  );

  expect(actions).toEqual(['get', 'delete', 'request', 'request']);
});

test('tunnelAction() is the whole place, by every method', () => {
  const place = {
    ...{ resource: 'http', action: 'request', port: 443, path: [] },
    everyPath: true,
  };

  expect(tunnelAction({ host: 'h', port: 443 })).toEqual({ ...place, host: 'h' });
  expect(tunnelAction({ host: '10.0.0.1', port: 443 })).toEqual({
    ...{ ...place, host: '10.0.0.1' },
    mustNameHost: true,
  });
});

test.each(['GET', 'read', '*', '', 'toString'])('fetchAction() knows no action %j', (action) => {
  expect(() => fetchAction(parseRequestUrl('https://h/'), action)).toThrow(
    expect.objectContaining({ code: 'capability.bad' }),
  );
});
