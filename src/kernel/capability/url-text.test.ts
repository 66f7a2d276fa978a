import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../tests/support/tier.ts';
import { printAction } from './action-text.ts';
import { type Action, covers } from './capability.ts';
import { parseCapability } from './capability-text.ts';
import { parseRequestUrl, printRequestUrl } from './url-text.ts';

function actionOf(text: string): Action {
  const { host, port, path } = parseRequestUrl(text);
  return { resource: 'http', action: 'get', host, port, path };
}

test.each([
  ['https://h', { host: 'h', port: 443, path: [], pathAndQuery: '/' }],
  ['https://h/', { host: 'h', port: 443, path: [], pathAndQuery: '/' }],
  ['http://h/', { host: 'h', port: 80, path: [], pathAndQuery: '/' }],
  ['https://h:8443/a', { host: 'h', port: 8443, path: ['a'], pathAndQuery: '/a' }],
  ['https://h/a/', { host: 'h', port: 443, path: ['a', ''], pathAndQuery: '/a/' }],
  ['https://h//', { host: 'h', port: 443, path: ['', ''], pathAndQuery: '//' }],
  ['https://h/?q=/../x', { host: 'h', port: 443, path: [], pathAndQuery: '/?q=/../x' }],
  ['https://h/a?b?c[]=%2F', { host: 'h', port: 443, path: ['a'], pathAndQuery: '/a?b?c[]=%2F' }],
  ['https://h/a%20b', { host: 'h', port: 443, path: ['a b'], pathAndQuery: '/a%20b' }],
  ['https://h/%41', { host: 'h', port: 443, path: ['A'], pathAndQuery: '/%41' }],
  ['https://h/%c3%bc', { host: 'h', port: 443, path: ['ü'], pathAndQuery: '/%c3%bc' }],
  // Encoded twice it is a name of six letters, for the server too.
  ['https://h/%252e%252e', { host: 'h', port: 443, path: ['%2e%2e'], pathAndQuery: '/%252e%252e' }],
  ['https://h/...', { host: 'h', port: 443, path: ['...'], pathAndQuery: '/...' }],
  ['https://h/@x:y', { host: 'h', port: 443, path: ['@x:y'], pathAndQuery: '/@x:y' }],
  ['http://127.0.0.1:80/', { host: '127.0.0.1', port: 80, path: [], pathAndQuery: '/' }],
  ['http://[::1]:8080/', { host: '[::1]', port: 8080, path: [], pathAndQuery: '/' }],
  ['https://xn--bcher-kva.example/', { host: 'xn--bcher-kva.example' }],
])('%s is read as it is', (text, expected) => {
  expect(parseRequestUrl(text)).toMatchObject(expected);
});

describe('refused, with what to write:', () => {
  test.each([
    ...['', 'h', '//h/', 'h/', 'ftp://h/', 'file:///etc/passwd', 'javascript:1', 'data:,x'],
    ...[
      'HTTPS://h/',
      'Https://h/',
      'https:/h/',
      'https:h/',
      'https:///h/',
      'https://',
      'https://:1/',
    ],
    ...[' https://h/', 'https://h/ ', 'https://h/a b', 'https://h/\ta', 'https://h/a\r\nX: y'],
    ...[
      'https://h/\u0000',
      'https://h/ü',
      'https://bücher.example/',
      'https://ｈ/',
      'https://h。com/',
    ],
    ...['https://h\\@evil/', 'https://h/a\\b', 'https:\\\\h/', 'https://h\\', 'http://h/%5c..%5cx'],
    ...['https://h/#x', 'https://h#x', 'https://good#@evil/', 'https://h/a?b#c'],
    ...['https://good@evil/', 'https://a:b@h/', 'https://@h/', 'https://good:443@evil/'],
    ...['https://H/', 'https://h./', 'https://.h/', 'https://a..b/', 'https://-a/', 'https://a_b/'],
    ...['https://*/', 'https://*.h/', 'https://h,evil/', 'https://h;evil/', 'https://h%2eevil/'],
    ...[
      'http://0x7f.1/',
      'http://2130706433/',
      'http://127.1/',
      'http://0177.0.0.1/',
      'http://127.0.0.01/',
    ],
    ...[
      'http://0x7f000001/',
      'http://127.0.0.1./',
      'http://256.1.1.1/',
      'http://1.2.3.4.5/',
      'http://0/',
    ],
    ...[
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::FFFF]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::1/',
    ],
    ...[
      'http://[fe80::1%25eth0]/',
      'http://[]/',
      'http://::1/',
      'http://[::1]x/',
      'http://[127.0.0.1]/',
    ],
    ...[
      'https://h:/',
      'https://h:0/',
      'https://h:080/',
      'https://h:65536/',
      'https://h:-1/',
      'https://h:80:80/',
    ],
    ...['https://h:4 3/', 'https://h:+80/', 'https://h:0x50/', 'https://h:８０/'],
    ...['https://h/..', 'https://h/.', 'https://h/a/../b', 'https://h/a/./b', 'https://h/%2e%2e/x'],
    ...[
      'https://h/%2E./x',
      'https://h/.%2e',
      'https://h/a/..;/b',
      'https://h/..;x=1/b',
      'https://h/%2e',
    ],
    ...[
      'https://h/a%2Fb',
      'https://h/a%2fb',
      'https://h/a%5Cb',
      'https://h/%00',
      'https://h/a%0d%0aX',
    ],
    ...['https://h/%', 'https://h/%4', 'https://h/%zz', 'https://h/?a=%', 'https://h/%u0041'],
    ...['https://h/%ff', 'https://h/%c0%af', 'https://h/%c0%ae%c0%ae/x', 'https://h/%ed%a0%80'],
    ...[
      'https://h?x',
      'https://h/a"b',
      'https://h/<x>',
      'https://h/{x}',
      'https://h/[x]',
      'https://h/?a={x}',
    ],
    ...['https://h/a^b', 'https://h/a`b', 'https://h/a|b', `https://h/${'a'.repeat(8200)}`],
  ])('%j', (text) => {
    const parse = () => parseRequestUrl(text);

    expect(parse).toThrow(/ is no address to ask: /);
    expect(parse).toThrow(
      expect.objectContaining({ code: 'http.bad-url', fix: expect.stringMatching(/^[A-Z].{8}/) }),
    );
  });

  test('an address in another spelling names the right one', () => {
    expect(() => parseRequestUrl('http://[0:0::1]/')).toThrow(
      expect.objectContaining({ fix: 'Write it as [::1]' }),
    );
  });

  test('the words never show the password that somebody wrote into it', () => {
    expect(() => parseRequestUrl('https://jean:hunter22@h/?token=hunter22')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter22') }),
    );
  });
});

describe('the grants for', () => {
  test.each([
    [
      'https://h/',
      ['http:h/*:get', 'http:h:get', 'http:h:443/:get'],
      ['http:h/a:get', 'http:h:80:get'],
    ],
    ['https://h', ['http:h:443/:get'], ['http:h/a/*:get']],
    ['https://h/a', ['http:h/a:get', 'http:h/a/*:get'], ['http:h:443/:get', 'http:h/b:get']],
    ['https://h/a/', ['http:h/a/*:get', 'http:h:get'], ['http:h/a:get', 'http:h:443/:get']],
    ['https://h//a', ['http:h:get'], ['http:h/a:get', 'http:h/a/*:get']],
    ['https://h//', ['http:h:get'], ['http:h:443/:get']],
    ['https://h/a%20b', ['http:h/a%20b:get'], ['http:h/a:get']],
    ['https://h/%2a', ['http:h/%2A:get'], []],
    ['http://h/', ['http:h:80:get'], ['http:h:get']],
  ])('%s', (url, allowed, denied) => {
    const action = actionOf(url);

    for (const text of allowed)
      expect([text, covers(parseCapability(text), action)]).toEqual([text, true]);
    for (const text of denied)
      expect([text, covers(parseCapability(text), action)]).toEqual([text, false]);
  });

  test('every address are named by words that differ from those of every other path', () => {
    const words = ['/', '/a', '/a/', '//', '//a', '/a//b', '/a/b'].map((path) =>
      printAction(actionOf(`https://h${path}`)),
    );

    expect(new Set(words).size).toBe(words.length);
  });
});

describe('whatever is taken,', () => {
  const letters = 'ab.-:/@%25eE2fF[]?#\\01x *;=~_{ü';
  const piece = fc.constantFrom(
    ...[
      'https://',
      'http://',
      'h',
      'a.example',
      'xn--bcher-kva',
      '127.0.0.1',
      '0x7f',
      '[::1]',
      '2130706433',
    ],
    ...[
      ':',
      ':80',
      ':443',
      ':8080',
      ':0',
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '%41',
      '%C3%BC',
      '%',
    ],
    ...['@', '\\', '#', '?', '&', ';', '\t', ' ', 'A', 'é', '\u0000'],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.constantFrom('http://', 'https://'), fc.array(piece, { maxLength: 8 }))
      .map(([scheme, pieces]) => scheme + pieces.join('')),
    fc
      .tuple(
        fc.constantFrom('http://', 'https://'),
        fc.string({ unit: fc.constantFrom(...letters), maxLength: 20 }),
      )
      .map((parts) => parts.join('')),
    fc.webUrl({ withQueryParameters: true }),
  );

  test('the reader that others use sees the same host, port and path in it', () => {
    const numRuns = times({ fast: 1000, full: 10_000 });
    let taken = 0;
    fc.assert(
      fc.property(text, (url) => {
        const mine = parsedOrUndefined(url);
        if (mine === undefined) return;
        taken += 1;
        const other = new URL(url);
        const port =
          other.port === '' ? (other.protocol === 'https:' ? 443 : 80) : Number(other.port);
        const segments = other.pathname === '/' ? [] : other.pathname.slice(1).split('/');
        expect(`${mine.scheme}:`).toBe(other.protocol);
        expect(mine.host).toBe(other.hostname);
        expect(mine.port).toBe(port);
        expect(mine.path).toEqual(segments.map(decodeURIComponent));
        expect([other.username, other.password, other.hash]).toEqual(['', '', '']);
        expect(parseRequestUrl(printRequestUrl(mine))).toEqual(mine);
      }),
      { numRuns },
    );

    expect(taken).toBeGreaterThan(numRuns / 20);
  });
});

function parsedOrUndefined(text: string): ReturnType<typeof parseRequestUrl> | undefined {
  try {
    return parseRequestUrl(text);
  } catch (failure) {
    expect(failure).toMatchObject({ code: 'http.bad-url' });
    return undefined;
  }
}
