import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { AosError } from '../kernel/errors.ts';
import { Scrubber } from '../security/secrets/scrub.ts';
import { composeEngines } from './home/compose.ts';
import { type LogLevel, openHomeLog, openLog } from './log.ts';

function logInMemory(level: LogLevel = 'info', scrub?: (line: string) => string) {
  const lines: string[] = [];
  const file = { write: (line: string) => void lines.push(line), close: () => {} };
  const log = openLog({ file, clock: new SimulatedClock(), level, scrub });
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

test('a secret is in no line: not in a value, a key, the words or an error', () => {
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value: 'open "sesame"', prefix: '' });
  const { log, lines, parsed } = logInMemory('info', (line) => scrubber.scrubText(line));

  log.info({ 'open "sesame"': 1, a: { b: ['x open "sesame" y'] } }, 'it is open "sesame"');
  log.child({ bound: 'open "sesame"' }).warn('x');
  log.error({ err: new Error('for open%20%22sesame%22') }, 'x');

  expect(lines.join('')).not.toContain('sesame');
  expect(parsed()).toMatchObject([
    { '[secret:KEY]': 1, a: { b: ['x [secret:KEY] y'] }, msg: 'it is [secret:KEY]' },
    { bound: '[secret:KEY]' },
    { err: { message: 'for [secret:KEY]' } },
  ]);
});

test('the log of a home is scrubbed from when the secrets are known', async () => {
  await using home = temporaryFolder();
  mkdirSync(home.at('logs'));
  using opened = openHomeLog(composeEngines(), home.path);
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value: 'open sesame', prefix: '' });

  opened.log.info('open sesame');
  opened.scrubWith(scrubber);
  opened.log.info('open sesame');

  const words = readFileSync(home.at('logs', 'daemon.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(words).toEqual(['open sesame', '[secret:KEY]']);
});
