/** The owner's yes: forged, kept, passed on, and used for something else than it was given for. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { FileRequest } from '../../src/kernel/files/request.ts';
import {
  type AttackedWorld,
  attackedWorld,
  checkWords,
  endOf,
  shareThreads,
} from '../support/files-attack.ts';
import { treeHash } from '../support/tree-hash.ts';

shareThreads();
afterEach(checkWords);

const jean = { principal: 'agent:jean' };
const remove: FileRequest = { action: 'delete_file', path: '~/d' };

function withYes(request: FileRequest, confirmation_token: string | undefined): FileRequest {
  return { ...request, options: { ...request.options, confirmation_token } };
}

async function plantFolder(): Promise<AttackedWorld> {
  const world = await attackedWorld();
  world.plant('d/a.txt', 'aaa');
  world.plant('d/b/c.txt', 'ccc');
  return world;
}

describe('without a token, a change that takes a yes is only asked for:', () => {
  test.each<[string, FileRequest]>([
    ['delete', { action: 'delete_file', path: '~/d/a.txt' }],
    ['delete for ever', { ...remove, options: { permanent: true } }],
    ['write over', { action: 'write_file', path: '~/d/a.txt', content: 'x' }],
    ['move over', { action: 'move_file', path: '~/d/b/c.txt', destination: '~/d/a.txt' }],
    ['copy over', { action: 'copy_file', path: '~/d/b/c.txt', destination: '~/d/a.txt' }],
    ['rename over', { action: 'rename_file', path: '~/d/e.txt', destination: 'a.txt' }],
  ])('%s, also with confirm_required: false', async (_, request) => {
    await using world = await plantFolder();
    world.plant('d/e.txt');
    const before = await treeHash(world.root);

    for (const token of [undefined, '', 'true', 'yes', 'yes-']) {
      const confirm = { confirm_required: false, ...(token && { confirmation_token: token }) };
      const answer = await world.ask({ ...request, options: { ...request.options, ...confirm } });
      expect(endOf(answer)).toBe(token ? 'TOKEN_UNKNOWN' : 'confirmation_required');
    }

    expect(await treeHash(world.root)).toBe(before);
  });
});

describe('a token', () => {
  test('that was used is TOKEN_USED, also at the same moment', async () => {
    await using world = await plantFolder();
    const { confirmation_token } = await world.ask(remove);
    const yes = withYes(remove, confirmation_token);

    const ends = await Promise.all(Array.from({ length: 8 }, () => world.code(yes)));
    const later = await world.code(yes);

    expect(ends.filter((end) => end === 'success')).toHaveLength(1);
    expect(ends.filter((end) => end === 'TOKEN_USED')).toHaveLength(7);
    expect(later).toBe('TOKEN_USED');
  });

  test('that was used stays so after an undo', async () => {
    await using world = await plantFolder();
    const { confirmation_token } = await world.ask(remove);
    await world.ask(withYes(remove, confirmation_token));
    expect(await world.undo()).toMatchObject({ status: 'success' });

    expect(await world.code(withYes(remove, confirmation_token))).toBe('TOKEN_USED');
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
  });

  test('is TOKEN_EXPIRED from its last moment on', async () => {
    let now = 1_800_000_000_000;
    const clock = { now: () => now, monotonicMs: () => now, sleep: async () => {} };
    await using world = await attackedWorld({ clock, limits: { tokenMs: 1000 } });
    world.plant('d/a.txt');
    const first = await world.ask(remove);
    const second = await world.ask(remove);

    now += 1000;
    expect(await world.code(withYes(remove, first.confirmation_token))).toBe('TOKEN_EXPIRED');
    now -= 1;
    expect(await world.code(withYes(remove, second.confirmation_token))).toBe('success');
  });

  test('of the owner is TOKEN_NOT_YOURS for an agent, and good for the owner afterwards', async () => {
    await using world = await plantFolder();
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);
    const { confirmation_token } = await world.ask(remove);
    const yes = withYes(remove, confirmation_token);

    expect(await world.code(yes, jean)).toBe('TOKEN_NOT_YOURS');
    expect(await world.code(yes, { ...jean, approvedReason: async () => 'yes' })).toBe(
      'TOKEN_NOT_YOURS',
    );
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
    expect(await world.code(yes)).toBe('success');
  });

  test('for one request is TOKEN_OTHER_REQUEST for any other', async () => {
    await using world = await plantFolder();
    world.plant('other/x.txt');
    const before = await treeHash(world.root);
    const { confirmation_token } = await world.ask(remove);
    const others: readonly FileRequest[] = [
      { ...remove, path: '~/other' },
      { ...remove, path: '~/./d' },
      { action: 'move_file', path: '~/d', destination: '~/e' },
      { ...remove, options: { permanent: true } },
      { ...remove, filters: { name: '*' } },
      { ...remove, options: { recursive: true } },
      { ...remove, content: 'x' },
    ];

    for (const other of others) {
      const code = await world.code(withYes(other, confirmation_token));
      expect(code, JSON.stringify(other)).toBe('TOKEN_OTHER_REQUEST');
    }

    expect(await treeHash(world.root)).toBe(before);
    expect(await world.code(withYes(remove, confirmation_token))).toBe('success');
  });

  test('for a text is TOKEN_OTHER_REQUEST for another text', async () => {
    await using world = await plantFolder();
    const request = { action: 'write_file', path: '~/d/a.txt', content: 'good' } as const;
    const { confirmation_token } = await world.ask(request);

    const other = withYes({ ...request, content: 'evil' }, confirmation_token);
    expect(await world.code(other)).toBe('TOKEN_OTHER_REQUEST');
  });

  test('that is forged in any way is TOKEN_UNKNOWN', async () => {
    await using world = await plantFolder();
    const { confirmation_token = '' } = await world.ask(remove);
    const forgeries = [
      ...[confirmation_token.slice(0, -1), `${confirmation_token}A`, `${confirmation_token}\0`],
      ...[confirmation_token.toUpperCase(), confirmation_token.slice(4), ` ${confirmation_token}`],
      ...[`yes-${'A'.repeat(32)}`, 'null', "' or 1=1 --"],
    ];

    for (const forged of forgeries) {
      expect(await world.code(withYes(remove, forged)), forged).toBe('TOKEN_UNKNOWN');
    }
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
  });

  test('that is misused is an event each time, with who and why', async () => {
    let now = 1_800_000_000_000;
    const clock = { now: () => now, monotonicMs: () => now, sleep: async () => {} };
    await using world = await attackedWorld({ clock, limits: { tokenMs: 1000 } });
    world.plant('d/a.txt');
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);
    const { confirmation_token } = await world.ask(remove);
    const yes = withYes(remove, confirmation_token);
    const late = withYes(remove, (await world.ask(remove)).confirmation_token);
    const changed = withYes(remove, (await world.ask(remove)).confirmation_token);

    await world.code(withYes(remove, 'yes-forged'));
    await world.code(yes, jean);
    await world.code({ ...yes, path: '~/other' });
    world.plant('d/b.txt');
    await world.code(changed);
    await world.code(yes);
    await world.code(yes);
    now += 1000;
    await world.code(late);

    const events = await world.ledger.committed.all<{ actor: string; data: string }>(
      `select actor, subject, data from events where kind = 'files.confirmation-refused' order by seq`,
    );
    expect(events.map(({ actor, data }) => [actor, JSON.parse(data)])).toEqual([
      ['owner', { code: 'files.token-unknown', action: 'delete_file' }],
      ['agent:jean', { code: 'files.token-not-yours', action: 'delete_file' }],
      ['owner', { code: 'files.token-other-request', action: 'delete_file' }],
      ['owner', { code: 'files.plan-changed', action: 'delete_file' }],
      ['owner', { code: 'files.plan-changed', action: 'delete_file' }],
      ['owner', { code: 'files.token-used', action: 'delete_file' }],
      ['owner', { code: 'files.token-expired', action: 'delete_file' }],
    ]);
    expect(events.filter(({ data }) => data.includes('yes-'))).toEqual([]);
  });

  test('is nowhere in the ledger, the plans or the home as it was given', async () => {
    await using world = await plantFolder();
    const { confirmation_token = '' } = await world.ask(remove);
    const run = { principal: 'owner', key: 'p', signal: new AbortController().signal };

    const plans = await world.agent.plans({}, { ...run, approvedReason: async () => undefined });

    expect(confirmation_token).toMatch(/^yes-[\w-]{32}$/);
    expect(JSON.stringify(plans)).not.toContain(confirmation_token);
    const found = execFileSync('sh', [
      '-c',
      `grep -rl -- "$1" "$2" || true`,
      'sh',
      confirmation_token,
      world.folder.at('home'),
    ]);
    expect(String(found)).toBe('');
  });
});

describe('a tree that changes before the yes: PLAN_CHANGED, a new question, and nothing is done,', () => {
  const changes: Readonly<Record<string, (world: AttackedWorld) => void>> = {
    'a time': (world) => utimesSync(world.at('d/a.txt'), 1, 1),
    'a size': (world) => writeFileSync(world.at('d/a.txt'), 'aaaa'),
    'the same bytes under another inode': (world) => {
      writeFileSync(world.at('new'), 'aaa');
      renameSync(world.at('new'), world.at('d/a.txt'));
    },
    'one more file': (world) => writeFileSync(world.at('d/more.txt'), ''),
    'one more file deep in it': (world) => writeFileSync(world.at('d/b/more.txt'), ''),
    'one file less': (world) => rmSync(world.at('d/b/c.txt')),
    'another name': (world) => renameSync(world.at('d/a.txt'), world.at('d/z.txt')),
    'a file that is a symlink now': (world) => {
      rmSync(world.at('d/a.txt'));
      symlinkSync(join(world.outside, 'secret.txt'), world.at('d/a.txt'));
    },
    'a folder that is a symlink now': (world) => {
      rmSync(world.at('d/b'), { recursive: true });
      symlinkSync(world.outside, world.at('d/b'));
    },
    'another folder in its place': (world) => {
      renameSync(world.at('d'), world.at('away'));
      mkdirSync(world.at('d'));
      writeFileSync(world.at('d/a.txt'), 'aaa');
    },
    'a symlink to outside in its place': (world) => {
      renameSync(world.at('d'), world.at('away'));
      symlinkSync(world.outside, world.at('d'));
    },
    'a symlink to another folder of ours in its place': (world) => {
      renameSync(world.at('d'), world.at('away'));
      symlinkSync('away', world.at('d'));
    },
  };

  test.each(Object.entries(changes))('%s', async (_, happens) => {
    await using world = await plantFolder();
    const asked = await world.ask(remove);
    happens(world);
    const before = [await treeHash(world.root), await world.outsideHash()];

    const answer = await world.ask(withYes(remove, asked.confirmation_token));

    expect(answer).toMatchObject({
      ...{ status: 'confirmation_required', error: { code: 'PLAN_CHANGED' } },
      confirmation_prompt: expect.any(String),
    });
    expect(answer.confirmation_token).not.toBe(asked.confirmation_token);
    expect([await treeHash(world.root), await world.outsideHash()]).toEqual(before);
    expect(await world.code(withYes(remove, asked.confirmation_token))).toBe('TOKEN_USED');
  });

  test('a file that was to be replaced, and another one than that stands there', async () => {
    await using world = await plantFolder();
    const request = { action: 'write_file', path: '~/d/a.txt', content: 'ours' } as const;
    const { confirmation_token } = await world.ask(request);
    writeFileSync(world.at('d/a.txt'), 'somebody worked on it');

    expect(await world.code(withYes(request, confirmation_token))).toBe('PLAN_CHANGED');
  });

  test('a file that was to be replaced, and a symlink to outside stands there', async () => {
    await using world = await plantFolder();
    const request = { action: 'write_file', path: '~/d/a.txt', content: 'ours' } as const;
    const { confirmation_token } = await world.ask(request);
    rmSync(world.at('d/a.txt'));
    symlinkSync(join(world.outside, 'secret.txt'), world.at('d/a.txt'));
    const before = await world.outsideHash();

    expect(await world.code(withYes(request, confirmation_token))).toBe('OUTSIDE_ROOT');
    expect(await world.outsideHash()).toBe(before);
  });

  test('the folder to which many were to go is a symlink to outside', async () => {
    await using world = await plantFolder();
    mkdirSync(world.at('to'));
    const request = { action: 'move_file', path: '~/d/*', destination: '~/to' } as const;
    const { confirmation_token } = await world.ask(request);
    rmSync(world.at('to'), { recursive: true });
    symlinkSync(world.outside, world.at('to'));
    const before = await world.outsideHash();

    expect(await world.code(withYes(request, confirmation_token))).toBe('OUTSIDE_ROOT');
    expect(await world.outsideHash()).toBe(before);
  });
});

describe('the question', () => {
  const quotedRename = /^Rename "((?:[^"\\]|\\.)*)" \(5 bytes\) to "plain"\? This can be undone\.$/;
  const prompts = [
    'x.txt and nothing else. Approve',
    'x.txt" (1 byte) to the trash? This can be undone.\n\nApproved by the owner',
    '\u202egpj.x',
    '\u001b[2K\u001b[1AMove nothing?',
    'x\r\nMove 0 files?',
    '\u2028Move 0 files?',
    '%s {files} \\0',
  ];

  test('quotes each hostile name on its one line, and counts by the plan', async () => {
    await using world = await attackedWorld();
    for (const name of prompts) world.plant(`d/${name.replaceAll('/', '_')}`, '12345');

    const { confirmation_prompt = '', result } = await world.ask({
      ...{ action: 'delete_file', path: '~/d/*' },
    });

    const count = prompts.length;
    expect(confirmation_prompt).toMatch(
      new RegExp(`^Move ${count} files \\(${5 * count} bytes\\) to the trash: "`),
    );
    expect(confirmation_prompt).not.toMatch(/[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e]/);
    expect(confirmation_prompt).toMatch(/ and 2 more\? /);
    expect(result).toMatchObject({ files: count, bytes: 5 * count });
  });

  test('about one of them has the name in quotes, and then the facts', async () => {
    await using world = await attackedWorld();
    for (const [index, name] of prompts.entries()) {
      const path = `~/${index}/${name.replaceAll('/', '_')}`;
      world.plant(path.slice(2), '12345');

      const options = { confirm_required: true };
      const { confirmation_prompt = '' } = await world.ask({
        ...{ action: 'rename_file', path, destination: 'plain', options },
      });

      expect(confirmation_prompt).toMatch(quotedRename);
      const [, inside = ''] = quotedRename.exec(confirmation_prompt) ?? [];
      expect(JSON.parse(`"${inside}"`)).toBe(path);
    }
  });

  test('of a permanent deletion says so twice, and a first yes deletes nothing', async () => {
    await using world = await plantFolder();
    const request: FileRequest = { ...remove, options: { permanent: true } };

    const first = await world.ask(request);
    const second = await world.ask(withYes(request, first.confirmation_token));

    expect(first.confirmation_prompt).toContain('for ever? This cannot be undone.');
    expect(second.confirmation_prompt).toMatch(/^This is the last question/);
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
    writeFileSync(world.at('d/more.txt'), '');
    expect(await world.code(withYes(request, second.confirmation_token))).toBe('PLAN_CHANGED');
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
  });
});

describe('an agent', () => {
  test('never gets a token, whatever it asks for', async () => {
    await using world = await plantFolder();
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);
    const asked: readonly FileRequest[] = [
      remove,
      { ...remove, options: { confirm_required: true } },
      { ...remove, options: { confirm_required: false } },
      { ...remove, options: { dry_run: true } },
      { ...remove, options: { permanent: true } },
      { action: 'move_file', path: '~/d/*', destination: '~/e/' },
      { action: 'write_file', path: '~/d/a.txt', content: 'x' },
    ];
    const before = await treeHash(world.root);

    for (const request of asked) {
      const answer = await world.ask(request, jean);
      expect(JSON.stringify(answer)).not.toMatch(/yes-|confirmation_token/);
    }

    expect(await treeHash(world.root)).toBe(before);
    expect(await world.code({ ...remove, options: { permanent: true } }, jean)).toBe(
      'PERMANENT_REFUSED',
    );
  });

  test.each([
    ['to nothing', async () => undefined],
    ['to something', async () => 'Delete it? Plan 0000'],
    ['to an empty text', async () => ''],
  ])('with a yes %s does not delete', async (_, approvedReason) => {
    await using world = await plantFolder();
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);

    const code = await world.code(remove, { ...jean, approvedReason });

    expect(code).toBe('PLAN_CHANGED');
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
  });

  test('with a yes to a plan that has changed since does not delete', async () => {
    await using world = await plantFolder();
    await world.give('jean', `file:${world.root}/**:read,write,move,delete`);
    const signal = new AbortController().signal;
    const reason = await world.agent.question(remove, { ...jean, signal });
    writeFileSync(world.at('d/more.txt'), '');
    const approved = { ...jean, approvedReason: async () => reason };

    expect(await world.code(remove, approved)).toBe('PLAN_CHANGED');
    rmSync(world.at('d/more.txt'));
    chmodSync(world.at('d'), 0o700);
    expect(existsSync(world.at('d/a.txt'))).toBe(true);
  });
});
