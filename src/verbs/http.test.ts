import { describe, expect, test } from 'vitest';
import { fetchArgs, outgoingOf } from './http.ts';

const withHeaders = (headers: Record<string, string>) =>
  outgoingOf(fetchArgs.parse({ url: 'https://h/', headers }));

test('headers are kept as they are, under their names in small letters', () => {
  const { headers } = withHeaders({ 'X-One': 'a\tb  c', Accept: '', Cookie: 'a="b"' });

  expect([...headers]).toEqual([
    ['x-one', 'a\tb  c'],
    ['accept', ''],
    ['cookie', 'a="b"'],
  ]);
});

describe('a header is refused', () => {
  test.each([
    ...['Host', 'hOST', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'TE'],
    ...['Trailer', 'Expect', 'Keep-Alive', 'Accept-Encoding', 'Proxy-Authorization', 'proxy-x'],
  ])('that is not the caller’s: %s', (name) => {
    expect(() => withHeaders({ [name]: 'x' })).toThrow(
      expect.objectContaining({ code: 'http.bad-request' }),
    );
  });

  test.each(['', ' ', 'a b', 'a:', 'a\r\nb', 'ä', 'a\u0000', '(', 'a'.repeat(129), 'Host '])(
    'by its name: %j',
    (name) => {
      expect(() => withHeaders({ [name]: 'x' })).toThrow(
        expect.objectContaining({ code: 'http.bad-request' }),
      );
    },
  );

  test.each([
    'a\r\nX-Evil: 1',
    'a\nb',
    'a\rb',
    'a\u0000b',
    'ä',
    'a\u0085b',
    ' a',
    'a ',
    '\u007f',
    '嘊嘍X',
  ])('by its value, which is not shown: %j', (value) => {
    expect(() => withHeaders({ 'X-A': value })).toThrow(
      expect.objectContaining({
        code: 'http.bad-request',
        message: 'The value of the header "X-A" has a character that cannot stand there',
      }),
    );
  });

  test.each([
    ['the same name twice', { 'X-A': '1', 'x-a': '2' }],
    ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, '']))],
    ['too long', { a: 'x'.repeat(17_000) }],
  ])('together with others: %s', (_, headers) => {
    expect(() => withHeaders(headers)).toThrow(
      expect.objectContaining({ code: 'http.bad-request' }),
    );
  });
});
