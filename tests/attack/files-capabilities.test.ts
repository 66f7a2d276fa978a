/** What agents get at through the file agent: no more than their grants say, at any moment. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type FileRequest, fileActions } from '../../src/kernel/files/request.ts';
import {
  type AttackedWorld,
  attackedWorld,
  checkWords,
  namesIn,
  shareThreads,
} from '../support/files-attack.ts';
import { treeHash } from '../support/tree-hash.ts';

shareThreads();
afterEach(checkWords);

const jean = { principal: 'agent:jean' };
const everything = 'read,write,move,delete';

/** Each change and each look, of something and of something that is not there. */
function requestsOn(path: string): readonly FileRequest[] {
  return fileActions.map((action) => ({
    ...{ action, path },
    ...(action === 'write_file' ? { content: 'ours' } : {}),
    ...(action === 'search_files' ? { query: 'inside' } : {}),
    ...(/^(?:move|copy)/.test(action) ? { destination: '~/moved' } : {}),
    ...(action === 'rename_file' ? { destination: 'renamed' } : {}),
  }));
}

/** A human says yes to whatever is asked for jean. */
async function approved(world: AttackedWorld, request: FileRequest) {
  const signal = new AbortController().signal;
  const reason = await world.agent.question(request, { ...jean, signal });
  return world.ask(request, { ...jean, approvedReason: async () => reason });
}

describe('an agent without a grant', () => {
  test('changes and reads nothing, and does not learn what is there', async () => {
    await using world = await attackedWorld();
    world.plant('d/x.txt', 'inside');
    world.plant('new/y.txt');
    const before = await treeHash(world.root);

    const [there, missing] = [requestsOn('~/d/x.txt'), requestsOn('~/d/none.txt')];
    for (const [index, request] of there.entries()) {
      const answers = [];
      for (const asked of [request, missing[index] ?? request]) {
        const answer = await world.ask(asked, jean);
        expect(JSON.stringify(answer)).not.toMatch(/inside|x\.txt"/);
        answers.push({ ...answer, metadata: undefined });
      }
      if (request.action === 'list_files' || request.action === 'get_disk_usage') continue;
      expect(answers[0], request.action).toEqual(answers[1]);
      if (request.action === 'search_files') continue;
      expect(answers[0]).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
    }

    expect(await treeHash(world.root)).toBe(before);
  });

  test('sees no name by a listing, a search, a pattern, an index or a size', async () => {
    await using world = await attackedWorld({ threads: undefined });
    world.plant('d/x.txt', 'inside');
    const run = { signal: new AbortController().signal, approvedReason: async () => undefined };
    await world.agent.index('~', { principal: 'owner', key: 'i', ...run });
    const options = { recursive: true, hidden: true };

    for (const request of [
      { action: 'list_files', path: '~', options },
      { action: 'list_files', path: '~/*/*' },
      { action: 'list_files', path: '~', options, filters: { duplicates: true } },
      { action: 'search_files', query: 'inside' },
      { action: 'search_files', query: 'x.txt', options: { exact: true } },
      { action: 'get_disk_usage', path: '~' },
    ] as const) {
      const answer = await world.ask(request, jean);
      expect(JSON.stringify(answer), JSON.stringify(request)).not.toMatch(
        /"[^"]*x\.txt"[^ ]|"inside/,
      );
      expect(answer.metadata.bytes_affected).toBe(0);
    }
  });
});

describe('an agent with a grant to read', () => {
  test('writes, moves, copies and deletes nothing', async () => {
    await using world = await attackedWorld();
    world.plant('d/x.txt', 'inside');
    await world.give('jean', `file:${world.root}/**:read`);
    const before = await treeHash(world.root);

    for (const request of requestsOn('~/d/x.txt')) {
      const answer = await approved(world, request);
      const isLook = /^(?:list|read|search|get)/.test(request.action);
      if (request.action === 'search_files') continue;
      expect(answer.error?.code, request.action).toBe(isLook ? undefined : 'PERMISSION_DENIED');
    }

    expect(await treeHash(world.root)).toBe(before);
  });
});

describe('a star', () => {
  const secrets = [
    ...['.ssh/id_ed25519', '.SSH/id_ed25519', '.Ssh/config', '.env', '.ENV', 'p/.env.local'],
    ...['p/prod.env', '.gnupg/private', '.local/share/keyrings/login', 'server.PEM', '.netrc'],
    ...['.aws/credentials', '.bash_history', '.ＳＳＨ/id', '.bashrc', '.git/hooks/pre-commit'],
  ];

  test.each(secrets)('does not reach %s', async (name) => {
    await using world = await attackedWorld();
    world.plant(name, 'inside');
    world.plant('plain.txt', 'evil');
    symlinkSync(name, world.at('link'));
    await world.give('jean', `file:${world.root}/**:${everything}`);
    const before = await treeHash(world.root);

    for (const path of [`~/${name}`, '~/./link', `${world.root}/${name}`]) {
      const read: FileRequest = { action: 'read_file', path };
      expect(await world.code(read, jean), path).toBe('PERMISSION_DENIED');
      const copy: FileRequest = { action: 'copy_file', path, destination: '~/got' };
      expect(await world.code(copy, jean), path).toBe('PERMISSION_DENIED');
    }
    for (const request of [
      { action: 'write_file', path: `~/${name}`, content: 'evil' },
      { action: 'delete_file', path: `~/${name}` },
      { action: 'move_file', path: `~/${name}`, destination: '~/got' },
      { action: 'move_file', path: '~/plain.txt', destination: `~/${name}` },
      { action: 'copy_file', path: '~/plain.txt', destination: `~/${name}` },
    ] as const) {
      const answer = await approved(world, request);
      expect(answer.error?.code, JSON.stringify(request)).toBe('PERMISSION_DENIED');
    }
    const options = { recursive: true, hidden: true };
    const listed = await world.ask({ action: 'list_files', path: '~', options }, jean);
    expect(namesIn(listed)).not.toContain(name.slice(name.lastIndexOf('/') + 1));
    const found = await world.ask({ action: 'search_files', query: 'inside', options }, jean);
    expect(namesIn(found)).toEqual([]);
    expect(await treeHash(world.root)).toBe(before);
  });

  test('does not reach a secret by the folder that it is in, nor by its new name', async () => {
    await using world = await attackedWorld();
    world.plant('p/code.ts');
    world.plant('p/.env', 'inside');
    world.plant('q/authorized_keys', 'evil');
    await world.give('jean', `file:${world.root}/**:${everything}`);
    const before = await treeHash(world.root);

    for (const request of [
      { action: 'copy_file', path: '~/p', destination: '~/got' },
      { action: 'move_file', path: '~/p', destination: '~/got' },
      { action: 'delete_file', path: '~/p' },
      { action: 'rename_file', path: '~/q', destination: '.ssh' },
      { action: 'move_file', path: '~/q', destination: '~/.ssh' },
      { action: 'rename_file', path: '~/p/code.ts', destination: '.env' },
      { action: 'rename_file', path: '~/q/*', destination: '.bashrc{ext}' },
      { action: 'copy_file', path: '~/q/*', destination: '~/.ssh/' },
      { action: 'write_file', path: '~/.config/autostart/x.desktop', content: 'evil' },
    ] as const) {
      const answer = await approved(world, request);
      expect(answer.error?.code, JSON.stringify(request)).toBe('PERMISSION_DENIED');
    }
    expect(await treeHash(world.root)).toBe(before);
  });

  test('reaches it where another grant names it', async () => {
    await using world = await attackedWorld();
    world.plant('.ssh/known_hosts', 'inside');
    await world.give(
      'jean',
      `file:${world.root}/**:read`,
      `file:${world.root}/.ssh/known_hosts:read`,
    );

    expect(await world.code({ action: 'read_file', path: '~/.ssh/known_hosts' }, jean)).toBe(
      'success',
    );
  });

  test('reaches neither our own home nor the workspace of another agent, by no symlink', async () => {
    await using world = await attackedWorld();
    const home = world.folder.at('home');
    for (const name of ['jean', 'sam']) {
      mkdirSync(`${home}/agents/${name}/workspace`, { recursive: true });
      writeFileSync(`${home}/agents/${name}/workspace/x.txt`, name);
    }
    symlinkSync(home, world.at('home-link'));
    symlinkSync(`${home}/agents/sam/workspace`, `${home}/agents/jean/workspace/sam`);
    await world.give(
      'jean',
      `file:/**:${everything}`,
      `file:${home}/agents/jean/workspace/**:read`,
    );

    const paths = [
      ...[`${home}/ledger.db`, '~/home-link/ledger.db', `${home}/agents/sam/workspace/x.txt`],
      ...[`${home}/agents/jean/workspace/sam/x.txt`, `${home}/agents/jean/workspace/../../sam`],
      ...[`${home}/agents/jean/key`, `${home}/agents/jeanne/workspace/x.txt`],
    ];
    for (const path of paths) {
      const code = await world.code({ action: 'read_file', path }, jean);
      expect(code, path).toBe('OUTSIDE_ROOT');
    }
    const own = { action: 'read_file', path: `${home}/agents/jean/workspace/x.txt` } as const;
    expect((await world.ask(own, jean)).result).toMatchObject({ content: 'jean' });
  });
});

describe('a symlink in a folder that an agent may see, to one that it may not', () => {
  const through: readonly ((path: string) => FileRequest)[] = [
    (path) => ({ action: 'list_files', path }),
    (path) => ({ action: 'list_files', path: `${path}/*` }),
    (path) => ({ action: 'get_disk_usage', path }),
    (path) => ({ action: 'search_files', path, query: 'inside' }),
    (path) => ({ action: 'read_file', path: `${path}/x.txt` }),
    (path) => ({ action: 'copy_file', path: `${path}/x.txt`, destination: '~/pub/got' }),
    (path) => ({ action: 'move_file', path: '~/pub/y.txt', destination: `${path}/` }),
  ];

  test.each(through.map((request) => [request('LINK').action, request] as const))(
    '%s does not tell whether something is there, nor how much',
    async (_, request) => {
      await using world = await attackedWorld();
      world.plant('private/full/x.txt', 'inside');
      world.plant('private/full/y.txt', 'inside');
      mkdirSync(world.at('private/empty'));
      world.plant('pub/y.txt');
      for (const name of ['full', 'empty', 'none']) {
        mkdirSync(world.at('pub'), { recursive: true });
        symlinkSync(`../private/${name}`, world.at(`pub/to-${name}`));
      }
      await world.give('jean', `file:${world.root}/pub/**:${everything}`);
      const before = await treeHash(world.at('private'));

      const told = [];
      for (const name of ['full', 'empty', 'none']) {
        const answer = await world.ask(request(`~/pub/to-${name}`), jean);
        const { action_performed, result, error } = answer;
        const text = JSON.stringify({ action_performed, result, error });
        told.push(text.replaceAll(`to-${name}`, 'LINK').replaceAll(`private/${name}`, 'THERE'));
      }

      expect(new Set(told).size, told.join('\n')).toBe(1);
      expect(await treeHash(world.at('private'))).toBe(before);
    },
  );
});

describe('a grant that is revoked', () => {
  test('in the middle of a batch stops it; what was done is written down, and can be undone', async () => {
    await using world = await attackedWorld();
    for (let index = 0; index < 40; index++) world.plant(`from/${index}`);
    mkdirSync(world.at('to'));
    const before = await treeHash(world.root);
    const [grant = ''] = await world.give('jean', `file:${world.root}/**:${everything}`);
    const request = { action: 'move_file', path: '~/from/*', destination: '~/to/' } as const;
    const signal = new AbortController().signal;
    const reason = await world.agent.question(request, { ...jean, signal });
    let revoked: Promise<void> | undefined;

    const answer = await world.ask(request, {
      ...jean,
      approvedReason: async () => reason,
      onProgress: (done) => {
        if (done === 5) revoked = world.revoke(grant);
      },
    });
    await revoked;

    expect(answer).toMatchObject({ status: 'error' });
    expect(answer.error?.message).toContain("I don't have permission");
    const moved = readdirSync(world.at('to')).length;
    expect(moved).toBeGreaterThanOrEqual(5);
    expect(moved).toBeLessThan(40);
    expect(readdirSync(world.at('from'))).toHaveLength(40 - moved);
    const { plan_id } = answer.result as { readonly plan_id: string };
    expect(await world.undo(plan_id)).toMatchObject({ status: 'success' });
    expect(await treeHash(world.root)).toBe(before);
  });

  test('is not enough to undo what was done under it', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt');
    const [grant = ''] = await world.give('jean', `file:${world.root}/**:${everything}`);
    const moved = { action: 'move_file', path: '~/x.txt', destination: '~/y.txt' } as const;
    expect(await world.code(moved, jean)).toBe('success');
    await world.revoke(grant);
    const run = { ...jean, key: 'undo', signal: new AbortController().signal };

    const answer = await world.agent.undo(
      { dryRun: false },
      { ...run, approvedReason: async () => undefined },
    );

    expect(answer.status).toBe('error');
    expect(existsSync(world.at('y.txt'))).toBe(true);
  });
});

test('a grant that asks is not enough, without a new yes, to undo what was done under it', async () => {
  await using world = await attackedWorld();
  world.plant('x.txt');
  await world.grants.change((_, changes) =>
    changes.give({
      ...{ principal: 'agent:jean', capability: `file:${world.root}/**:${everything}` },
      ...{ parent: null, granted_by: 'owner', origin: 'owner', asks: 1 },
    }),
  );
  const request = { action: 'move_file', path: '~/x.txt', destination: '~/y.txt' } as const;
  const run = { ...jean, key: 'undo', signal: new AbortController().signal };

  const unasked = await world.code(request, jean);
  const asked = await world.code(request, { ...jean, approvedReason: async () => 'yes' });
  const undone = await world.agent.undo(
    { dryRun: false },
    { ...run, approvedReason: async () => undefined },
  );

  expect([unasked, asked]).toEqual(['PERMISSION_DENIED', 'success']);
  expect(undone.status).not.toBe('success');
  expect(existsSync(world.at('y.txt'))).toBe(true);
});

describe('plans of others', () => {
  test('are neither listed for, nor undone by, another agent; the trash is the owner’s', async () => {
    await using world = await attackedWorld();
    world.plant('x.txt', 'inside');
    await world.give('jean', `file:${world.root}/**:${everything}`);
    const removed = await world.confirm({ action: 'delete_file', path: '~/x.txt' });
    const { plan_id } = removed.result as { readonly plan_id: string };
    const run = { ...jean, key: 'k', signal: new AbortController().signal };
    const whole = { ...run, approvedReason: async () => undefined };

    const plans = await world.agent.plans({}, whole);
    const undone = await world.agent.undo({ plan: plan_id, dryRun: false }, whole);
    const dry = await world.agent.undo({ plan: plan_id, dryRun: true }, whole);
    const trash = await world.agent.trash(whole);
    const restored = await world.agent.restore({ path: '~/x.txt', dryRun: false }, whole);

    expect(plans.result).toMatchObject({ plans: [] });
    expect(undone.error?.code).toBe('UNKNOWN_PLAN');
    expect(dry.error).toEqual(undone.error);
    expect(trash.error?.code).toBe('PERMISSION_DENIED');
    expect(restored.error?.code).toBe('PERMISSION_DENIED');
    expect(existsSync(world.at('x.txt'))).toBe(false);
  });

  test('indexes are not listed for who may not see their folders', async () => {
    await using world = await attackedWorld({ threads: undefined });
    world.plant('private/x.txt');
    const run = { signal: new AbortController().signal, approvedReason: async () => undefined };
    await world.agent.index('~/private', { principal: 'owner', key: 'i', ...run });

    const listed = await world.agent.indexes({ ...jean, key: 'l', ...run });

    expect(JSON.stringify(listed)).not.toContain('private');
  });

  test('an index is dropped by nobody who may not read its folder', async () => {
    await using world = await attackedWorld({ threads: undefined });
    world.plant('private/x.txt');
    const run = { signal: new AbortController().signal, approvedReason: async () => undefined };
    await world.agent.index('~/private', { principal: 'owner', key: 'i', ...run });

    const dropped = await world.agent.dropIndex('~/private', { ...jean, key: 'd', ...run });

    expect(dropped.error?.code).toBe('PERMISSION_DENIED');
  });
});

describe('through the file agent', () => {
  test('it takes the grants of both', async () => {
    await using world = await attackedWorld();
    world.plant('both/x.txt', 'inside');
    world.plant('hers/x.txt', 'inside');
    world.plant('its/x.txt', 'inside');
    await world.give(
      'jean',
      ...['both', 'hers'].map((name) => `file:${world.root}/${name}/**:${everything}`),
    );
    await world.give(
      'file_agent',
      ...['both', 'its'].map((name) => `file:${world.root}/${name}/**:read,write,move`),
    );
    const via = { ...jean, via: 'agent:file_agent' };
    const read = (name: string): FileRequest => ({ action: 'read_file', path: `~/${name}/x.txt` });

    expect(await world.code(read('both'), via)).toBe('success');
    expect(await world.code(read('hers'), via)).toBe('PERMISSION_DENIED');
    expect(await world.code(read('its'), via)).toBe('PERMISSION_DENIED');
    expect(await world.code(read('hers'), jean)).toBe('success');
    // The file agent may not delete, so nobody does through it.
    const remove = { action: 'delete_file', path: '~/both/x.txt' } as const;
    expect(await world.code(remove, via)).toBe('PERMISSION_DENIED');
    expect(readFileSync(world.at('both/x.txt'), 'utf8')).toBe('inside');
  });
});
