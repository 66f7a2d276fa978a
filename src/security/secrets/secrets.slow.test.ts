import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger } from '../../../tests/support/temporary-ledger.ts';
import { realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { readEvents } from '../../ledger/events.ts';
import { openSecrets } from './secrets.ts';

const value = 'sk-0123456789abcdef';
const bound = { name: 'API', value, host: 'api.example.com', header: 'Authorization' };

async function temporaryHome() {
  const folder = temporaryFolder();
  mkdirSync(folder.at('keys'), { mode: 0o700 });
  const clock = new SimulatedClock();
  const ledger = await openTestLedger(folder.at('ledger.db'), { clock });
  const deps = { ledger, clock, disk: realDisk, random: realRandom };
  return {
    ledger,
    clock,
    keyPath: folder.at('keys', 'secrets.key'),
    at: folder.at,
    open: () => openSecrets(deps, folder.path),
    events: () =>
      readEvents(ledger.committed, { kind: 'secret.*' }, { limit: 10, order: 'oldest-first' }),
    edit: (sql: string) => ledger.transact((tx) => tx.run(sql)),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a secret is there for its host and port, also after a restart, and for no other', async () => {
  await using home = await temporaryHome();
  await (await home.open()).set({ ...bound, port: 8443, prefix: 'Bearer ' }, 'owner');

  const secrets = await home.open();

  const [found, ...others] = secrets.boundTo('api.example.com', 8443);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ name: 'API', header: 'authorization' });
  expect([found?.value(), found?.headerValue()]).toEqual([value, `Bearer ${value}`]);
  for (const [host, port] of [
    ['api.example.com', 443],
    ['example.com', 8443],
    ['x.api.example.com', 8443],
    ['API.example.com', 8443],
  ] as const) {
    expect(secrets.boundTo(host, port)).toEqual([]);
  }
});

test('the port is 443 where none is said, and a secret may be for no host at all', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();

  await secrets.set(bound, 'owner');
  await secrets.set({ name: 'alone', value: 'not for any host' }, 'owner');

  const times = { created_at: home.clock.now(), updated_at: home.clock.now() };
  expect(await secrets.list()).toEqual([
    {
      name: 'API',
      host: 'api.example.com',
      port: 443,
      header: 'authorization',
      prefix: '',
      ...times,
    },
    { name: 'alone', host: null, port: null, header: null, prefix: '', ...times },
  ]);
  expect(secrets.boundTo('api.example.com', 443)).toHaveLength(1);
});

test('neither the value nor anything made of it is in a file of the home, an event or a list', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();
  await secrets.set(bound, 'owner');

  const events = await home.events();
  const listed = await secrets.list();
  const files = ['ledger.db', 'ledger.db-wal', 'keys/secrets.key'].map((name) =>
    readFileSync(home.at(name), 'latin1'),
  );

  const told = [
    ...files,
    JSON.stringify([events, listed, secrets.boundTo(bound.host, 443), secrets]),
  ];
  for (const text of told) expect(secrets.scrubber.scrubText(text)).toBe(text);
  expect(events).toMatchObject([{ kind: 'secret.set', actor: 'owner', subject: 'secret:API' }]);
  expect(JSON.parse(events[0]?.data ?? '')).toEqual({
    host: 'api.example.com',
    port: 443,
    header: 'authorization',
    replaced: false,
  });
});

test('a secret that is replaced keeps its beginning, and its old value stays scrubbed', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();
  await secrets.set(bound, 'owner');
  const before = home.clock.now();
  home.clock.jump(1000);

  const { replaced } = await secrets.set({ ...bound, value: 'another value' }, 'owner');

  expect(replaced).toBe(true);
  expect(await secrets.list()).toMatchObject([{ created_at: before, updated_at: before + 1000 }]);
  expect(secrets.boundTo(bound.host, 443).map((secret) => secret.value())).toEqual([
    'another value',
  ]);
  expect(secrets.scrubber.scrubText(`${value}, another value`)).toBe('[secret:API], [secret:API]');
  expect(JSON.parse((await home.events()).at(-1)?.data ?? '')).toMatchObject({ replaced: true });
});

test('a secret that was removed is used no more, and stays scrubbed', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();
  await secrets.set(bound, 'owner');

  await secrets.remove('API', 'owner');

  expect(secrets.boundTo(bound.host, 443)).toEqual([]);
  expect(await secrets.list()).toEqual([]);
  expect(secrets.scrubber.scrubText(value)).toBe('[secret:API]');
  expect(await home.events()).toMatchObject([
    {},
    { kind: 'secret.removed', actor: 'owner', subject: 'secret:API', data: null },
  ]);
});

test('a secret that is not there cannot be removed, and nothing is recorded', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();

  await expect(secrets.remove('API', 'owner')).rejects.toMatchObject({ code: 'secret.unknown' });

  expect(await home.events()).toEqual([]);
});

test('changes at once are made in their order, with one key', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();

  await Promise.all([
    secrets.set({ ...bound, value: 'the first value' }, 'owner'),
    secrets.set({ ...bound, value: 'the second value' }, 'owner'),
    secrets.set({ ...bound, name: 'other', value: 'the third value' }, 'owner'),
    secrets.remove('other', 'owner'),
  ]);

  for (const each of [secrets, await home.open()]) {
    expect(each.boundTo(bound.host, 443).map((one) => one.value())).toEqual(['the second value']);
  }
});

test('one line end behind the value is taken off', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();

  await secrets.set({ ...bound, value: `${value}\n` }, 'owner');

  expect(secrets.boundTo(bound.host, 443)[0]?.value()).toBe(value);
});

describe('it is refused, without a word of the value, when', () => {
  test.each([
    ['the name is empty', { name: '' }],
    ['the name begins with a digit', { name: '1A' }],
    ['the name has a space', { name: 'A B' }],
    ['the name is too long', { name: 'A'.repeat(65) }],
    ['the value is too short', { value: '1234567' }],
    ['the value is too short but for its line end', { value: '1234567\n' }],
    ['the value is too long', { value: 'x'.repeat(8193) }],
    ['the value has two line ends', { value: `${value}\n\n` }],
    ['the value has two lines', { value: `${value}\n${value}` }],
    ['the value has a control character', { value: `${value}\x1b` }],
    ['the value is not ASCII', { value: `${value}é` }],
    ['the value ends with a space', { value: `${value} ` }],
    ['the name gives the value away', { name: 'sesame-1234', value: 'sesame-1234' }],
    ['the host has capital letters', { host: 'API.example.com' }],
    ['the host is many hosts', { host: '*.example.com' }],
    ['the host is every host', { host: '*' }],
    ['the host has a port in it', { host: 'api.example.com:443' }],
    ['the host ends with a dot', { host: 'api.example.com.' }],
    ['the host is an odd number', { host: '0x7f.1' }],
    ['there is no host', { host: undefined }],
    ['there is no header', { header: undefined }],
    ['the port is none', { port: 0 }],
    ['the port is too high', { port: 65_536 }],
    ['the port is no whole number', { port: 1.5 }],
    ['the header is no word', { header: 'X Y' }],
    ['the header would end the line', { header: 'X\r\nY' }],
    ['the header is Host', { header: 'HOST' }],
    ['the header is Content-Length', { header: 'Content-Length' }],
    ['the header is Transfer-Encoding', { header: 'transfer-encoding' }],
    ['the prefix would end the line', { prefix: 'Bearer\r\n' }],
    ['the prefix is too long', { prefix: 'x'.repeat(65) }],
    ['there is a prefix and no header', { host: undefined, header: undefined, prefix: 'x' }],
    ['there is a port and no host', { host: undefined, header: undefined, port: 443 }],
  ])('%s', async (_what, change) => {
    await using home = await temporaryHome();
    const secrets = await home.open();

    const attempt = secrets.set({ ...bound, ...change }, 'owner');

    await expect(attempt).rejects.toMatchObject({ code: 'secret.bad', fix: expect.any(String) });
    await expect(attempt).rejects.not.toThrow('sk-0');
    expect(await secrets.list()).toEqual([]);
  });
});

test('the key is made with the first secret, for the owner only', async () => {
  await using home = await temporaryHome();
  const secrets = await home.open();
  expect(statSync(home.keyPath, { throwIfNoEntry: false })).toBeUndefined();

  await secrets.set(bound, 'owner');

  expect(statSync(home.keyPath).mode & 0o777).toBe(0o600);
  expect(readFileSync(home.keyPath, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});

test('a key that is there before the first secret is used', async () => {
  await using home = await temporaryHome();
  const line = `${'5a'.repeat(32)}\n`;
  writeFileSync(home.keyPath, line, { mode: 0o600 });

  await (await home.open()).set(bound, 'owner');

  expect(readFileSync(home.keyPath, 'utf8')).toBe(line);
  expect((await home.open()).boundTo(bound.host, 443)[0]?.value()).toBe(value);
});

const breakers: Readonly<Record<string, (path: string) => void>> = {
  'is gone': (path) => rmSync(path),
  'is another one': (path) => writeFileSync(path, `${'5a'.repeat(32)}\n`),
  'is empty': (path) => writeFileSync(path, ''),
  'is cut off': (path) => writeFileSync(path, '5a5a'),
  'is far too large': (path) => writeFileSync(path, '5a'.repeat(5000)),
  'is open to others': (path) => chmodSync(path, 0o640),
  'is a symlink': (path) => {
    writeFileSync(`${path}.moved`, readFileSync(path), { mode: 0o600 });
    rmSync(path);
    symlinkSync(`${path}.moved`, path);
  },
  'is a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

describe.each(Object.entries(breakers))(
  'where there are secrets and the key %s',
  (_what, broken) => {
    test('nothing is opened, and no key is made', async () => {
      await using home = await temporaryHome();
      await (await home.open()).set(bound, 'owner');
      broken(home.keyPath);
      const before = statSync(home.keyPath, { throwIfNoEntry: false })?.ino;

      const attempt = home.open();

      await expect(attempt).rejects.toMatchObject({ code: 'secret.broken-key' });
      expect(statSync(home.keyPath, { throwIfNoEntry: false })?.ino).toBe(before);
    });

    test('no further one is sealed with it', async () => {
      await using home = await temporaryHome();
      const secrets = await home.open();
      await secrets.set(bound, 'owner');
      broken(home.keyPath);

      const attempt = secrets.set({ ...bound, name: 'other' }, 'owner');

      await expect(attempt).rejects.toMatchObject({ code: 'secret.broken-key' });
      expect(await secrets.list()).toHaveLength(1);
    });
  },
);

test.each([
  ['another host', `update secrets set host = 'evil.example.com'`],
  ['another port', 'update secrets set port = 80'],
  ['another header', `update secrets set header = 'x-echo'`],
  ['another prefix', `update secrets set prefix = 'x'`],
  ['another name', `update secrets set name = 'other'`],
  ['nothing', `update secrets set sealed = x''`],
])('a row that somebody moved to %s does not open', async (_where, sql) => {
  await using home = await temporaryHome();
  await (await home.open()).set(bound, 'owner');
  await home.edit(sql);

  await expect(home.open()).rejects.toMatchObject({ code: 'secret.broken-key' });
});
