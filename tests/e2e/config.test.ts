import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/app/config/settings.ts';
import { type ErrorCode, exitCodeOf } from '../../src/kernel/errors.ts';
import { aosHere } from '../support/aos-here.ts';
import { hasSandbox } from '../support/machine.ts';
import { asNobody, runAos, stackLine } from '../support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

function writeConfig(home: TemporaryFolder, content: string | Uint8Array): void {
  writeFileSync(home.at('config.json'), content, { mode: 0o600 });
}

/** Everything about a folder's entries that a command could have changed. */
function traces(folder: string): unknown[] {
  return ['.', ...readdirSync(folder).sort()].map((name) => {
    const { mode, size, mtimeMs, ino } = lstatSync(join(folder, name));
    return { name, mode, size, mtimeMs, ino };
  });
}

describe('where a setting comes from', () => {
  interface Sources {
    readonly flag?: string;
    readonly variable?: string;
    readonly file?: string;
  }

  test.each<readonly [string, Sources, number, (home: TemporaryFolder) => object]>([
    [
      'a flag wins over everything',
      { flag: '51', variable: '52', file: '53' },
      51,
      () => ({ kind: 'flag', name: '--set' }),
    ],
    [
      'a variable wins over the file',
      { variable: '52', file: '53' },
      52,
      () => ({ kind: 'environment', name: 'AOS_DISK_WARN_PERCENT' }),
    ],
    [
      'the file wins over the default',
      { file: '53' },
      53,
      (home) => ({ kind: 'file', name: home.at('config.json') }),
    ],
    ['the default is what is left', {}, 80, () => ({ kind: 'default' })],
  ])('%s', async (_title, { flag, variable, file }, value, origin) => {
    await using home = temporaryFolder();
    if (file !== undefined) writeConfig(home, `{"diskWarnPercent": ${file}}`);

    const run = await runAos(
      [
        ...['config', 'show', '--origin', '--json'],
        ...(flag === undefined ? [] : ['--set', `diskWarnPercent=${flag}`]),
      ],
      {
        env: {
          AOS_HOME: home.path,
          ...(variable === undefined ? {} : { AOS_DISK_WARN_PERCENT: variable }),
        },
      },
    );

    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).data.diskWarnPercent).toEqual({ value, origin: origin(home) });
  });

  const relaySettings = [
    ['archiveDays', '30', 'default'],
    ['messageDays', '7', 'default'],
    ['requestSeconds', '60', 'default'],
    ['messagesPerSecond', '200', 'default'],
    ['messageBurst', '1000', 'default'],
    ['mailboxMessages', '100000', 'default'],
    ['mailboxMegabytes', '1024', 'default'],
    ['transferDays', '7', 'default'],
    ['transferQuotaMegabytes', '10240', 'default'],
  ];

  const operationSettings = [
    ['operationSeconds', '600', 'default'],
    ['operationMegabytes', '1000', 'default'],
    ['artifactDays', '7', 'default'],
    ['artifactPhase', '3', 'default'],
    ['filesRoot', '~', 'default'],
    ['trashFolder', '~/.local/share/Trash', 'default'],
    ['filePlanDays', '30', 'default'],
    ['memoryTokens', '1500', 'default'],
    ['memoryEmbedder', 'none', 'default'],
    ['memoryEmbedderUrl', 'http://127.0.0.1:11434/api/embed', 'default'],
    ['memoryEmbedderModel', 'nomic-embed-text', 'default'],
    ['memoryEmbedderSecret', 'none', 'default'],
    ['legacySignatures', 'false', 'default'],
    ['publicUrl', 'none', 'default'],
    ['keyRotationDays', '90', 'default'],
  ];

  const sandboxSettings = [
    ['sandboxMegabytes', '512', 'default'],
    ['sandboxProcesses', '64', 'default'],
    ['sandboxCpuPercent', '100', 'default'],
    ['sandboxesReady', '8', 'default'],
    ['workspaceMegabytes', '1024', 'default'],
    ['workspaceFiles', '200000', 'default'],
    ['programMegabytes', '4096', 'default'],
    ['programProcesses', '1024', 'default'],
    ['programCpuPercent', '400', 'default'],
  ];

  test('a person reads it in a third column', async () => {
    await using home = temporaryFolder();
    writeConfig(home, '{"diskAlertPercent": 95}');

    const run = await runAos(['--set', 'diskWarnPercent=51', 'config', 'show', '--origin'], {
      env: { AOS_HOME: home.path },
    });

    expect(
      run.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['home', home.path, 'environment AOS_HOME'],
      ['port', '7717', 'default'],
      ['auditDays', '90', 'default'],
      ...relaySettings,
      ...operationSettings,
      ['diskWarnPercent', '51', 'flag --set'],
      ['diskAlertPercent', '95', `file ${home.at('config.json')}`],
      ['toolSeconds', '120', 'default'],
      ['approvalHours', '24', 'default'],
      ['defaultModel', 'none', 'default'],
      ['modelEndpoints', defaultSettings.modelEndpoints, 'default'],
      ['anthropicUrl', defaultSettings.anthropicUrl, 'default'],
      ['openaiUrl', defaultSettings.openaiUrl, 'default'],
      ['modelPrices', defaultSettings.modelPrices, 'default'],
      ['modelSlots', '0', 'default'],
      ['programSlots', '8', 'default'],
      ...sandboxSettings,
      ['approvalWebhook', 'none', 'default'],
    ]);
  });

  test('the home folder is the one below HOME unless another is named', async () => {
    await using folder = temporaryFolder();

    const run = await runAos(['config', 'show', '--origin', '--json'], {
      env: { HOME: folder.path },
    });

    expect(JSON.parse(run.stdout).data.home).toEqual({
      value: folder.at('.agent-relay'),
      origin: { kind: 'default' },
    });
  });

  test('a relative home begins where the command was run', async () => {
    await using folder = temporaryFolder();

    const run = await runAos(['--home', 'here', 'config', 'show', '--json'], { cwd: folder.path });

    expect(JSON.parse(run.stdout).data.home).toBe(folder.at('here'));
  });

  test('a relative home below a folder that is gone is no bug of ours', async () => {
    await using folder = temporaryFolder();

    const run = await runAos(['--home', 'here', 'config', 'show', '--json'], {
      through: [
        'bash',
        '-c',
        'mkdir "$0/gone"; cd "$0/gone"; rmdir "$0/gone"; exec "$@"',
        folder.path,
      ],
    });

    expect(JSON.parse(run.stdout).error.code).not.toBe('internal.bug');
  });

  test('an unknown AOS_ variable is refused', async () => {
    const run = await runAos(['config', 'show'], { env: { AOS_DISK_WARN: '1' } });

    expect(run.code).toBe(exitCodeOf('config.unknown-key'));
    expect(run.stderr).toContain('try: unset AOS_DISK_WARN\n');
  });

  test('a wrong file is told although a flag overrules it', async () => {
    await using home = temporaryFolder();
    writeConfig(home, '{"diskWarnPercent": 0}');

    const run = await runAos(['--home', home.path, '--set', 'diskWarnPercent=5', 'config', 'show']);

    expect(run.code).toBe(exitCodeOf('config.bad-value'));
  });
});

interface BadConfig {
  readonly what: string;
  readonly plant: (home: TemporaryFolder) => void;
  readonly error: ErrorCode;
  readonly says: string;
}

const text = (content: string) => (home: TemporaryFolder) => writeConfig(home, content);

const badConfigs: readonly BadConfig[] = [
  {
    what: 'a comma too many',
    plant: text('{\n  "diskWarnPercent": 70,\n}\n'),
    error: 'config.malformed',
    says: 'line 3, column 1',
  },
  {
    what: 'a word without quotes',
    plant: text('{\n  "diskWarnPercent": seventy\n}\n'),
    error: 'config.malformed',
    says: 'line 2, column 22',
  },
  {
    what: 'an end in the middle',
    plant: text('{\n  "diskWarnPercent":'),
    error: 'config.malformed',
    says: 'it ends too early',
  },
  { what: 'an empty file', plant: text(''), error: 'config.malformed', says: 'it ends too early' },
  { what: 'an array', plant: text('[70]'), error: 'config.malformed', says: 'one JSON object' },
  { what: 'a null', plant: text('null'), error: 'config.malformed', says: 'one JSON object' },
  {
    what: 'a misspelt key',
    plant: text('{"diskWarnPercnt": 70}'),
    error: 'config.unknown-key',
    says: 'Did you mean "diskWarnPercent"?',
  },
  {
    what: 'a key that every object has',
    plant: text('{"__proto__": {"diskWarnPercent": 1}}'),
    error: 'config.unknown-key',
    says: '"__proto__"',
  },
  {
    what: 'a number in quotes',
    plant: text('{"diskWarnPercent": "70"}'),
    error: 'config.bad-value',
    says: 'says "70"',
  },
  {
    what: 'a number out of range',
    plant: text('{"diskWarnPercent": 101}'),
    error: 'config.bad-value',
    says: 'from 1 to 100',
  },
  {
    what: 'a warning that comes after the alert',
    plant: text('{"diskWarnPercent": 95, "diskAlertPercent": 90}'),
    error: 'config.bad-value',
    says: '"diskWarnPercent" (95) must not be above "diskAlertPercent" (90)',
  },
  {
    what: 'the home in the file that lies there',
    plant: text('{"home": "/somewhere"}'),
    error: 'config.unknown-key',
    says: 'sets "home"',
  },
  {
    what: 'a NUL after the object',
    plant: text('{}\0'),
    error: 'config.malformed',
    says: 'line 1, column 3',
  },
  {
    what: 'bytes that are not UTF-8',
    plant: (home) => writeConfig(home, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    error: 'config.malformed',
    says: 'not UTF-8',
  },
  {
    what: 'two megabytes',
    plant: text(`{}${' '.repeat(2_000_000)}`),
    error: 'config.malformed',
    says: 'larger than the 1048576 bytes',
  },
  {
    what: 'a symlink to a good file',
    plant: (home) => {
      writeFileSync(home.at('good.json'), '{}');
      symlinkSync('good.json', home.at('config.json'));
    },
    error: 'config.malformed',
    says: 'symlink',
  },
  {
    what: 'a symlink to nothing',
    plant: (home) => symlinkSync('nothing', home.at('config.json')),
    error: 'config.malformed',
    says: 'symlink',
  },
  {
    what: 'a FIFO that nobody writes to',
    plant: (home) => execFileSync('mkfifo', [home.at('config.json')]),
    error: 'config.malformed',
    says: 'not an ordinary file',
  },
  {
    what: 'a folder',
    plant: (home) => mkdirSync(home.at('config.json')),
    error: 'config.malformed',
    says: 'not an ordinary file',
  },
];

describe('a bad config.json', () => {
  test.each(badConfigs)('is told in one sentence with a fix: $what', async (bad) => {
    await using home = temporaryFolder();
    bad.plant(home);

    const run = await aosHere(['--home', home.path, 'config', 'show']);

    expect(run).toMatchObject({ code: exitCodeOf(bad.error), stdout: '' });
    expect(run.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    expect(run.stderr).toContain(bad.says);
  });

  test.each(badConfigs)('has the code of its table in JSON: $what', async (bad) => {
    await using home = temporaryFolder();
    bad.plant(home);

    const run = await aosHere(['--home', home.path, 'config', 'show', '--json']);

    expect(JSON.parse(run.stdout).error.code).toBe(bad.error);
    expect(run.stderr).toBe('');
  });

  test.each(badConfigs)('is left as it is: $what', async (bad) => {
    await using home = temporaryFolder();
    bad.plant(home);
    const before = traces(home.path);

    await aosHere(['--home', home.path, 'config', 'show']);

    expect(traces(home.path)).toEqual(before);
  });
});

test.skipIf(!hasSandbox)(
  'a config.json that this user may not read is told in one sentence with a fix',
  async () => {
    await using home = temporaryFolder();
    writeConfig(home, '{}');
    chmodSync(home.path, 0o755);
    chmodSync(home.at('config.json'), 0o000);

    const run = await runAos(['--home', home.path, 'config', 'show'], {
      // Root may read everything, so it steps down first.
      through: process.getuid?.() === 0 ? asNobody(home.path) : [],
    });

    expect(run).toMatchObject({ code: exitCodeOf('config.unreadable'), stdout: '' });
    expect(run.stderr).toMatch(/^error: The settings cannot be read\. .+\n {2}try: .+\n$/);
  },
);

test('--debug shows where a bad config.json was found out', async () => {
  await using home = temporaryFolder();
  writeConfig(home, '[]');

  const run = await runAos(['--debug', '--home', home.path, 'config', 'show']);

  expect(run.stderr).toMatch(stackLine);
});

interface Schema {
  readonly type: 'object' | 'string' | 'integer';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false;
  readonly minimum?: number;
  readonly maximum?: number;
}

const understood =
  /^(\$schema|title|description|default|type|properties|additionalProperties|minimum|maximum)$/;

/** As much of JSON Schema as ours uses; a keyword that it does not know fails the test. */
function accepts(schema: Schema, value: unknown): boolean {
  expect(Object.keys(schema).filter((keyword) => !understood.test(keyword))).toEqual([]);
  const { properties = {}, minimum = -Infinity, maximum = Infinity } = schema;
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
    case 'object':
      return (
        isObject(value) &&
        Object.entries(value).every(([key, inner]) => {
          const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
          return property === undefined
            ? schema.additionalProperties !== false
            : accepts(property, inner);
        })
      );
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('aos config schema', () => {
  test.each([
    ['{}', 'good'],
    ['{"$schema": "./schema.json"}', 'good'],
    ['{"$schema": 1}', 'bad'],
    ['{"diskWarnPercent": 1}', 'good'],
    ['{"diskWarnPercent": 70.0}', 'good'],
    ['{"diskAlertPercent": 100}', 'good'],
    ['{"diskWarnPercent": 10, "diskAlertPercent": 20}', 'good'],
    ['{"diskWarnPercent": 0}', 'bad'],
    ['{"diskAlertPercent": 101}', 'bad'],
    ['{"diskWarnPercent": -1}', 'bad'],
    ['{"diskWarnPercent": 70.5}', 'bad'],
    ['{"diskWarnPercent": 1e400}', 'bad'],
    ['{"diskWarnPercent": "70"}', 'bad'],
    ['{"diskWarnPercent": null}', 'bad'],
    ['{"diskWarnPercent": true}', 'bad'],
    ['{"diskWarnPercent": [70]}', 'bad'],
    ['{"diskwarnpercent": 70}', 'bad'],
    ['{"home": "/somewhere"}', 'bad'],
    ['{"toString": 1}', 'bad'],
    ['[]', 'bad'],
    ['null', 'bad'],
    ['70', 'bad'],
  ])('and the program agree that %s is %s', async (content, verdict) => {
    await using home = temporaryFolder();
    writeConfig(home, content);

    const schema = JSON.parse((await aosHere(['config', 'schema'])).stdout);
    const shown = await aosHere(['--home', home.path, 'config', 'show']);

    expect(accepts(schema, JSON.parse(content)) ? 'good' : 'bad').toBe(verdict);
    expect(shown.code === 0 ? 'good' : 'bad').toBe(verdict);
  });

  test('has the same content in its JSON form', async () => {
    const plain = await runAos(['config', 'schema']);
    const json = await runAos(['config', 'schema', '--json']);

    expect(JSON.parse(json.stdout)).toEqual({ ok: true, data: JSON.parse(plain.stdout) });
  });
});

describe('a config.json that is open to others', () => {
  async function openConfig() {
    const home = temporaryFolder();
    await aosHere(['--home', home.path, 'register', 'jean']);
    writeConfig(home, '{}');
    chmodSync(home.at('config.json'), 0o644);
    return home;
  }
  const said = (home: TemporaryFolder) =>
    `Mended: "${home.at('config.json')}" was open to others (mode 644) and is not any more\n`;

  test.each([
    ['ps', ['ps']],
    ['ps --json', ['ps', '--json']],
  ])('is closed by a command without a daemon, which says so once: %s', async (_words, words) => {
    await using home = await openConfig();

    const first = await aosHere(['--home', home.path, ...words]);
    const second = await aosHere(['--home', home.path, ...words]);

    expect(first).toMatchObject({ code: 0, stderr: said(home) });
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(second.stdout);
    expect(lstatSync(home.at('config.json')).mode & 0o777).toBe(0o600);
  });

  test('is closed by "aos restore", which says so', async () => {
    await using home = await openConfig();

    const run = await aosHere(['--home', home.path, 'restore', home.at('nothing')]);

    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(said(home));
  });

  test('is left as it is by "aos doctor", which names the command that closes it', async () => {
    await using home = await openConfig();

    const run = await aosHere(['--home', home.path, 'doctor', 'modes']);

    expect(run.stdout).toContain(`try: chmod -R go-rwx ${home.path}/`);
    expect(lstatSync(home.at('config.json')).mode & 0o777).toBe(0o644);
  });
});
