import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { AosError } from '../kernel/errors.ts';
import { type LogLevel, openLog } from './log.ts';

function logInMemory(level: LogLevel = 'info') {
  const lines: string[] = [];
  const file = { write: (line: string) => void lines.push(line), close: () => {} };
  const log = openLog({ file, clock: new SimulatedClock(), level });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

test('a line is one JSON object with time, level and words', () => {
  const { log, lines, parsed } = logInMemory();

  log.info({ port: 7717 }, 'ready\nnow');

  expect(parsed()).toEqual([
    { time: '2030-01-01T00:00:00.000Z', level: 'info', port: 7717, msg: 'ready\nnow' },
  ]);
  expect(lines[0]).toMatch(/^[^\n]+\n$/);
});

test('what is below the level is not written', () => {
  const { log, lines } = logInMemory('warn');

  log.info({}, 'no');
  log.warn({}, 'yes');

  expect(lines).toHaveLength(1);
});

test.each(['handle', 'authorization', 'secret_key', 'passphrase'])(
  'the value of %s is blacked out at any depth up to three, and in what a child is bound to',
  (key) => {
    const { log, lines } = logInMemory();
    const secret = { [key]: 'open sesame' };

    log.info({ ...secret, a: { ...secret, b: { ...secret, c: secret } }, list: [secret] }, 'x');
    log.child({ request: { headers: secret } }).info('x');
    log.error({ err: new AosError('internal.bug', { message: 'x', details: secret }) }, 'x');

    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain('sesame');
  },
);

test('what was logged is not changed by the blacking out', () => {
  const { log } = logInMemory();
  const facts = { request: { handle: 'mine' } };

  log.info(facts, 'x');

  expect(facts).toEqual({ request: { handle: 'mine' } });
});
