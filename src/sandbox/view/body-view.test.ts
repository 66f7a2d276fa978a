import { describe, expect, test } from 'vitest';
import type { ProgramPart } from '../../kernel/programs.ts';
import { type HostParts, launcherArguments } from '../launch/launcher-arguments.ts';
import { type BodyFacts, bodyView } from './body-view.ts';

const home = '/home/me/.agent-relay';
const workspace = `${home}/agents/jean/workspace`;

const part = (path: string, changes: Partial<ProgramPart> = {}): ProgramPart => ({
  ...{ path, real: path, isSought: false },
  ...changes,
});
const sleep = part('/usr/bin/sleep', { isSought: true });

const facts = (changes: Partial<BodyFacts> = {}): BodyFacts => ({
  ...{ name: 'jean', uid: undefined, home, ownersHome: '/home/me', cwd: undefined, sees: [] },
  ...{ parts: [sleep], isOwners: true },
  ...changes,
});

const folder = (real: string, changes: object = {}) => ({
  ...{ path: real, real, writable: false, git: undefined },
  ...changes,
});

/** What is seen besides what every agent sees of its own. */
const shown = (changes: Partial<BodyFacts>) => {
  const { view } = bodyView(facts(changes));
  return view.sees.filter(({ to }) => !to.startsWith('/aos/'));
};

describe('what the program of an agent sees', () => {
  test('is its own: workspace, outbox, inbox and the folder of its socket', () => {
    const { view, program, cwd, searchPath } = bodyView(facts({ uid: 2_000_000_001 }));

    expect(view).toEqual({
      ...{ principal: 'agent:jean', uid: 2_000_000_001, workspace, unixSockets: true },
      sees: [
        { from: `${home}/run/bodies/jean`, to: '/aos/run', writable: false },
        { from: `${home}/agents/jean/outbox`, to: '/aos/agents/jean/outbox', writable: true },
        { from: `${home}/agents/jean/inbox`, to: '/aos/agents/jean/inbox', writable: true },
      ],
      links: [{ path: '/aos/agents/jean/workspace', target: '/workspace' }],
    });
    expect({ program, cwd }).toEqual({ program: '/usr/bin/sleep', cwd: '/workspace' });
    expect(searchPath).toBe('/usr/local/bin:/usr/bin:/bin');
  });

  test('is the folder that it works in, read-only, or to be written to', () => {
    const read = folder('/home/me/project');
    const written = folder('/home/me/project', { writable: true });

    expect(shown({ cwd: read })).toEqual([
      { from: '/home/me/project', to: '/home/me/project', writable: false },
    ]);
    expect(shown({ cwd: written, sees: [folder('/home/me/project')] })).toEqual([
      { from: '/home/me/project', to: '/home/me/project', writable: true },
    ]);
    expect(bodyView(facts({ cwd: read })).cwd).toBe('/home/me/project');
  });

  test('is called /workspace where the folder is in its workspace', () => {
    const seen = bodyView(facts({ cwd: folder(`${workspace}/deep`) }));

    expect(seen.cwd).toBe('/workspace/deep');
    expect(shown({ cwd: folder(`${workspace}/deep`) })).toEqual([]);
  });

  test('is what lies behind a symlink, under both names', () => {
    const see = { path: '/srv/latest', real: '/srv/v3' };

    const { view } = bodyView(facts({ sees: [see] }));

    expect(view.sees).toContainEqual({ from: '/srv/v3', to: '/srv/v3', writable: false });
    expect(view.links).toContainEqual({ path: '/srv/latest', target: '/srv/v3' });
  });

  test('is the folder of its program, and only the file of what runs it', () => {
    const parts = [
      part('/home/me/tools/run.js'),
      part('/opt/node/bin/node', { isSought: true }),
    ] as const;

    expect(shown({ parts })).toEqual([
      { from: '/home/me/tools', to: '/home/me/tools', writable: false },
      { from: '/opt/node/bin/node', to: '/opt/node/bin/node', writable: false },
    ]);
    expect(bodyView(facts({ parts })).searchPath).toBe(
      '/usr/local/bin:/usr/bin:/bin:/home/me/tools:/opt/node/bin',
    );
  });

  test('is all that was installed together with a program of node_modules', () => {
    const real = '/opt/lib/node_modules/claude/node_modules/x/cli.js';
    const parts = [part('/opt/bin/claude', { real, isSought: true })] as const;

    const { view, program } = bodyView(facts({ parts }));

    expect(shown({ parts })).toEqual([
      { from: '/opt/lib/node_modules', to: '/opt/lib/node_modules', writable: false },
    ]);
    // By a symlink, as outside: a script finds its parts from where it really lies.
    expect(view.links).toContainEqual({ path: '/opt/bin/claude', target: real });
    expect(program).toBe('/opt/bin/claude');
  });

  test('is nothing twice: a program where something is seen already shows no more', () => {
    const parts = [part('/home/me/project/bin/run')] as const;

    expect(shown({ parts, cwd: folder('/home/me/project') })).toHaveLength(1);
    expect(shown({ parts: [part(`${workspace}/run`)] })).toEqual([]);
    expect(bodyView(facts({ parts: [part(`${workspace}/run`)] })).program).toBe('/workspace/run');
  });
});

describe('what no program of an agent sees', () => {
  const refused = { code: 'sandbox.bad-folder' };

  test.each([
    ...['/', '/root', '/home', '/home/me', '/home/you', '/etc', '/var', '/tmp', '/proc', '/run/x'],
    ...[home, `${home}/keys`, `${home}/agents/samantha/workspace`, '/home/me/.ssh', '/dev/shm'],
    ...['/home/me/.config/gcloud', '/etc/ssh', '/home/me/x/.aws', '/home/me/.local/bin'],
  ])('%s: neither to work in, nor shown, nor for the sake of a program', (path) => {
    const program = { parts: [part(`${path === '/' ? '' : path}/run`)] as const };

    for (const changes of [{ cwd: folder(path) }, { sees: [folder(path)] }, program]) {
      expect(() => bodyView(facts(changes))).toThrow(expect.objectContaining(refused));
    }
  });

  test('a folder that holds a .git, to be written to; to be read it does', () => {
    const cwd = folder('/home/me/project', { git: '/srv/project/.git' });

    expect(() => bodyView(facts({ cwd: { ...cwd, writable: true } }))).toThrow(
      expect.objectContaining({ ...refused, message: expect.stringContaining('hooks') }),
    );
    expect(shown({ cwd })).toHaveLength(1);
  });

  test('the folder of a program that somebody else than the owner names', () => {
    const parts = [part('/home/me/private/run')] as const;
    const sought = [part('/home/me/private/run', { isSought: true })] as const;

    expect(() => bodyView(facts({ parts, isOwners: false }))).toThrow(
      expect.objectContaining(refused),
    );
    expect(shown({ parts: sought, isOwners: false })).toHaveLength(1);
  });

  test('what a file names that the agent itself can write', () => {
    const cwd = folder('/home/me/project', { writable: true });
    const named = part('/home/me/private/file');
    const link = part(`${workspace}/run`, { real: '/home/me/private/run' });

    for (const changes of [
      { parts: [part(`${workspace}/run`), named] as const },
      { parts: [part('/home/me/project/run'), named] as const, cwd },
      { parts: [link] as const },
    ]) {
      expect(() => bodyView(facts(changes))).toThrow(expect.objectContaining(refused));
    }
  });
});

test('what is shown below /tmp comes after the /tmp of the sandbox', () => {
  const host: HostParts = {
    ...{ isRoot: false, folders: ['/usr'], links: [], etc: '/e', etcParts: [], node: undefined },
  };
  const { view } = bodyView(facts({ cwd: folder('/tmp/project', { writable: true }) }));
  const withTool = { ...view, sees: [...view.sees, ...shown({ sees: [folder('/tmp/tool')] })] };

  const words = launcherArguments(host, withTool, { seccomp: 5, listens: false, env: {} });

  const at = (word: string) => words.lastIndexOf(word);
  expect(at('/tmp/project')).toBeGreaterThan(words.indexOf('/tmp'));
  expect(at('/tmp/tool')).toBeGreaterThan(words.indexOf('/tmp'));
  expect(words[at('/aos/agents/jean/workspace') - 2]).toBe('--symlink');
});
