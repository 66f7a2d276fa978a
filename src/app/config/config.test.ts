import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { colorAllowed, type Environment, type FlagValue, loadConfig } from './config.ts';
import { settingNames, variableOf } from './settings.ts';

interface Given {
  readonly file?: string | Uint8Array;
  readonly environment?: Environment;
  readonly flags?: readonly FlagValue[];
}

/** Loads with the home at /home, which holds the given config.json. */
async function load({ file, environment = {}, flags = [] }: Given) {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/home');
  if (file !== undefined) {
    await using writer = await disk.create('/home/config.json');
    await writer.append(Buffer.from(file));
  }
  return loadConfig({ view: disk, environment: { AOS_HOME: '/home', ...environment }, flags });
}

const set = (key: string, text: string): FlagValue => ({ key, text, flag: '--set' });

test('a value comes from the flag, else the variable, else the file, else the default', async () => {
  const file = '{"diskWarnPercent": 50}';
  const environment = { AOS_DISK_WARN_PERCENT: '60' };
  const flags = [set('diskWarnPercent', '70')];

  const configs = await Promise.all([
    load({ file, environment, flags }),
    load({ file, environment }),
    load({ file }),
    load({}),
  ]);

  expect(configs.map(({ settings }) => settings.diskWarnPercent)).toEqual([70, 60, 50, 80]);
  expect(configs.map(({ originOf }) => originOf('diskWarnPercent'))).toEqual([
    { kind: 'flag', name: '--set' },
    { kind: 'environment', name: 'AOS_DISK_WARN_PERCENT' },
    { kind: 'file', name: '/home/config.json' },
    { kind: 'default' },
  ]);
});

test('the last of two flags for one setting wins', async () => {
  const flags = [set('diskWarnPercent', '10'), set('diskWarnPercent', '20')];

  expect((await load({ flags })).settings.diskWarnPercent).toBe(20);
});

test('--home says where config.json is looked for', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/other');
  await using writer = await disk.create('/other/config.json');
  await writer.append(Buffer.from('{"diskWarnPercent": 5}'));
  const flags: FlagValue[] = [{ key: 'home', text: '/other', flag: '--home' }];

  const config = await loadConfig({ view: disk, environment: { AOS_HOME: '/home' }, flags });

  expect(config.settings).toMatchObject({ home: '/other', diskWarnPercent: 5 });
});

test.each([
  [undefined, join(homedir(), '.agent-relay')],
  ['~', homedir()],
  ['~/x', join(homedir(), 'x')],
  ['/a/../b/', '/b'],
  ['rel/x', resolve('rel/x')],
])('home %s is %s', async (given, wanted) => {
  const view = new SimulatedDisk({ seed: 1 });

  const { settings } = await loadConfig({ view, environment: { AOS_HOME: given }, flags: [] });

  expect(settings.home).toBe(wanted);
});

test('an empty variable and $schema in the file set nothing', async () => {
  const file = '{"$schema": "./schema.json"}';

  const { originOf } = await load({ file, environment: { AOS_DISK_WARN_PERCENT: '' } });

  expect(originOf('diskWarnPercent')).toEqual({ kind: 'default' });
});

test('a file that begins with a byte order mark is read', async () => {
  expect((await load({ file: '\uFEFF{"diskWarnPercent": 7}' })).settings.diskWarnPercent).toBe(7);
});

describe('refused in words:', () => {
  test.each<[string, Given, string, RegExp]>([
    ['text that is no JSON', { file: '{"a":\n  nope}' }, 'config.malformed', /line 2, column 3$/],
    ['a missing comma', { file: '{\n"a": 1\n"b": 2}' }, 'config.malformed', /line 3, column 1$/],
    ['single quotes', { file: "{'a': 1}" }, 'config.malformed', /line 1, column 2$/],
    ['an empty file', { file: '' }, 'config.malformed', /it ends too early$/],
    ['a list', { file: '[]' }, 'config.malformed', /one JSON object/],
    ['null', { file: 'null' }, 'config.malformed', /one JSON object/],
    ['bytes that are no text', { file: Uint8Array.of(0x7b, 0xff) }, 'config.malformed', /UTF-8/],
    ['a file of 2 MB', { file: ' '.repeat(2e6) }, 'config.malformed', /larger than/],
    [
      'an unknown key',
      { file: '{"diskWarnPrecent": 1}' },
      'config.unknown-key',
      /"diskWarnPercent"\?/,
    ],
    ['__proto__', { file: '{"__proto__": 1}' }, 'config.unknown-key', /"__proto__"/],
    ['constructor', { file: '{"constructor": 1}' }, 'config.unknown-key', /"constructor"/],
    ['home in the file', { file: '{"home": "/x"}' }, 'config.unknown-key', /cannot say where/],
    [
      'a number as text in the file',
      { file: '{"diskWarnPercent": "50"}' },
      'config.bad-value',
      /"50"/,
    ],
    ['a fraction', { file: '{"diskWarnPercent": 1.5}' }, 'config.bad-value', /whole number/],
    ['a number out of range', { file: '{"diskWarnPercent": 101}' }, 'config.bad-value', /1 to 100/],
    ['null as a value', { file: '{"diskWarnPercent": null}' }, 'config.bad-value', /null/],
    ['an object as a value', { file: '{"diskWarnPercent": {}}' }, 'config.bad-value', /\{\}/],
    [
      'a wrong value below a right one',
      { file: '{"diskWarnPercent": 0}', flags: [set('diskWarnPercent', '50')] },
      'config.bad-value',
      /config\.json/,
    ],
    [
      'a misspelt variable',
      { environment: { AOS_DISK_WARN_PRECENT: '1' } },
      'config.unknown-key',
      /"AOS_DISK_WARN_PERCENT"\?/,
    ],
    [
      'a variable that is no number',
      { environment: { AOS_DISK_WARN_PERCENT: '08' } },
      'config.bad-value',
      /"08"/,
    ],
    ['a flag that is no setting', { flags: [set('prot', '1')] }, 'config.unknown-key', /"prot"/],
    [
      'a flag in another notation',
      { flags: [set('diskWarnPercent', '1e1')] },
      'config.bad-value',
      /"1e1"/,
    ],
    ['a home with a NUL', { flags: [set('home', '/a\0b')] }, 'config.bad-value', /"home"/],
    [
      'a warning after the alert',
      { file: '{"diskWarnPercent": 95}' },
      'config.bad-value',
      /must not be above/,
    ],
  ])('%s', async (_what, given, code, sentence) => {
    await expect(load(given)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(sentence),
      fix: expect.stringMatching(/./),
    });
  });

  test('a disk that fails under the file', async () => {
    const disk = new SimulatedDisk({ seed: 1 });
    await disk.makeFolder('/home');
    await (await disk.create('/home/config.json'))[Symbol.asyncDispose]();
    disk.failCall(disk.calls + 2, 'EIO');

    const attempt = loadConfig({ view: disk, environment: { AOS_HOME: '/home' }, flags: [] });

    await expect(attempt).rejects.toMatchObject({ code: 'config.unreadable' });
  });
});

test('each setting has a variable of its own', () => {
  expect(variableOf('diskWarnPercent')).toBe('AOS_DISK_WARN_PERCENT');
  expect(new Set(settingNames.map(variableOf)).size).toBe(settingNames.length);
});

test('variables of the tests are no settings', async () => {
  await expect(load({ environment: { AOS_TEST_ANYTHING: 'x' } })).resolves.toBeDefined();
});

test('NO_COLOR and a dumb terminal want no colours', () => {
  expect(colorAllowed({})).toBe(true);
  expect(colorAllowed({ NO_COLOR: '' })).toBe(true);
  expect(colorAllowed({ NO_COLOR: '1' })).toBe(false);
  expect(colorAllowed({ TERM: 'dumb' })).toBe(false);
});
