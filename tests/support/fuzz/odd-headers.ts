/** Headers that a client in its right mind does not send. */
import type { Dice } from '../../sim/dice.ts';

type Header = readonly [name: string, value: string];

/** Adds one oddity; what it means for the request is left to the gateway. */
export function withOddHeaders(dice: Dice, headers: Header[]): void {
  headers.push(...dice.pick(oddities));
}

const oddities: readonly [readonly Header[], ...(readonly Header[])[]] = [
  [['X-Long', 'x'.repeat(20_000)]],
  Array.from({ length: 150 }, (_one, index): Header => [`X-Many-${index}`, 'x']),
  [['Host', 'evil.example']],
  [['Origin', 'https://evil.example']],
  [['Sec-Fetch-Site', 'cross-site']],
  [['X-Aos-Client', '999.0.0']],
  [['X-Aos-Client', '\x01 no version']],
  [['X-Request-Id', 'x'.repeat(300)]],
  [['X-Request-Id', '../../etc']],
  [['Authorization', 'Bearer aos_no']],
  [['Authorization', `Bearer aos_${'A'.repeat(43)}`]],
  [['Authorization', 'Basic %%%']],
  [['Authorization', 'Web3Signed e30.0x00']],
  [['Authorization', `Web3Signed ${'e'.repeat(6000)}.0x${'f'.repeat(130)}`]],
  [['Authorization', 'Negotiate x']],
  [['Signature', '0x00']],
  [['Idempotency-Key', 'again']],
  [['Idempotency-Key', 'x'.repeat(201)]],
  [['Idempotency-Key', '']],
  [['Last-Event-ID', '-1']],
  [['Last-Event-ID', '99999999999999999999']],
  [['Last-Event-ID', 'no number']],
  [['Range', 'bytes=0-']],
  [['Range', 'bytes=5-2']],
  [['Range', 'bytes=-1,0-1,99999999999999-']],
  [['Range', 'lines=1-2']],
  [['If-None-Match', '*']],
  [['If-None-Match', 'no tag']],
  [['If-Range', 'x']],
  [['Accept', 'no/such']],
  [['Accept', '']],
  [['Accept-Encoding', 'br;q=2']],
  [['Content-Encoding', 'gzip']],
  [['Content-Type', 'application/json']],
  [['Content-Type', 'nonsense;;;=']],
  [['Expect', '100-continue']],
  [['Expect', 'a pony']],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['X-Forwarded-For', '127.0.0.1']],
  [['Upgrade', 'h2c']],
  [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ],
  [['Cookie', `a=${'b'.repeat(2000)}`]],
  [['\u00e4', 'x']],
  [['X-Bytes', '\u00ff\u0080']],
  [['Date', 'yesterday']],
  [['Content-Length', '7']],
  [['Transfer-Encoding', 'gzip, chunked']],
];
