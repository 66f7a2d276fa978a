import { expect, test } from 'vitest';
import type { SandboxView } from '../../kernel/sandbox.ts';
import { becomeArguments, type HostParts, launcherArguments } from './launcher-arguments.ts';

const host: HostParts = {
  isRoot: false,
  folders: ['/usr'],
  links: [{ path: '/bin', target: 'usr/bin' }],
  etc: '/home/u/.agent-relay/run/sandbox/etc-1000',
  etcParts: ['/etc/ssl'],
  node: '/opt/node/bin/node',
};

const view: SandboxView = {
  principal: 'agent:jean',
  uid: undefined,
  workspace: '/home/u/.agent-relay/agents/jean/workspace',
  sees: [],
  unixSockets: false,
};

const options = { seccomp: 5, listens: false, env: { HOME: '/workspace' } };

function wordsFor(parts: Partial<HostParts>, more: Partial<SandboxView> = {}): readonly string[] {
  return launcherArguments({ ...host, ...parts }, { ...view, ...more }, options);
}

/** The words behind each use of an option. */
function valuesOf(words: readonly string[], option: string, count: number): string[][] {
  return words.flatMap((word, index) =>
    word === option ? [words.slice(index + 1, index + 1 + count)] : [],
  ) as string[][];
}

test('all that can be written is the workspace', () => {
  const words = wordsFor({});

  expect(valuesOf(words, '--bind', 2)).toEqual([[view.workspace, '/workspace']]);
  expect(valuesOf(words, '--ro-bind', 2).map(([, to]) => to)).toEqual(['/usr', '/etc', '/etc/ssl']);
});

test('the root and /dev are closed last, and memory has its size', () => {
  const words = wordsFor({});

  expect(words.slice(-4)).toEqual(['--remount-ro', '/dev', '--remount-ro', '/']);
  expect(valuesOf(words, '--size', 3)).toEqual([
    [String(64 * 2 ** 20), '--tmpfs', '/tmp'],
    [String(16 * 2 ** 20), '--tmpfs', '/dev/shm'],
  ]);
});

test('nothing of the environment and no namespace of the host is kept', () => {
  const words = wordsFor({});

  const namespaces = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'];
  expect(words).toEqual(expect.arrayContaining([...namespaces, '--clearenv', '--new-session']));
  expect(words).toContain('--die-with-parent');
  expect(valuesOf(words, '--setenv', 2)).toEqual([['HOME', '/workspace']]);
});

test('an ordinary daemon makes a user namespace in which no other can be made', () => {
  const words = wordsFor({ isRoot: false });

  expect(words).toEqual(expect.arrayContaining(['--unshare-user', '--disable-userns']));
  // Of the first process, and of no other.
  expect(words).toContain('--as-pid-1');
  expect(valuesOf(words, '--cap-add', 1)).toEqual([['CAP_SETPCAP']]);
});

test('a daemon of root makes none, and keeps what it takes to become somebody else', () => {
  const words = wordsFor({ isRoot: true });

  expect(words).not.toContain('--unshare-user');
  expect(valuesOf(words, '--cap-add', 1).flat()).toEqual([
    'CAP_SETUID',
    'CAP_SETGID',
    'CAP_SETPCAP',
  ]);
});

test('Node is seen only where it opens the listener', () => {
  const words = launcherArguments(host, view, { ...options, listens: true });

  expect(valuesOf(words, '--ro-bind', 2)).toContainEqual(['/opt/node/bin/node', '/run/aos/node']);
  expect(wordsFor({})).not.toContain('/run/aos/node');
});

test('folders on the way to what is seen are open, and the outermost comes first', () => {
  const sees = [{ from: '/srv/a', to: '/srv/deep/a', writable: false }];

  const words = wordsFor({}, { sees });

  expect(valuesOf(words, '--dir', 1).flat().slice(0, 2)).toEqual(['/srv', '/srv/deep']);
  expect(words.indexOf('/srv')).toBeLessThan(words.indexOf('/srv/deep'));
});

test.each([
  ['below what can be written', { from: '/x', to: '/workspace/a', writable: false }],
  ['over the workspace', { from: '/x', to: '/workspace', writable: false }],
  ['with a step up', { from: '/x', to: '/srv/../etc', writable: false }],
  ['not from the root', { from: '/x', to: 'srv', writable: false }],
  ['with a zero byte', { from: '/x', to: '/srv/\0', writable: false }],
  ['the root itself', { from: '/x', to: '/', writable: false }],
  ['written to in /usr', { from: '/x', to: '/usr/local', writable: true }],
  ['written to in /etc', { from: '/x', to: '/etc/a', writable: true }],
  ['written to in /proc', { from: '/x', to: '/proc', writable: true }],
])('a place %s is refused', (_what, path) => {
  expect(() => wordsFor({}, { sees: [path] })).toThrow(
    expect.objectContaining({ code: 'sandbox.bad-folder' }),
  );
});

test('nobody becomes uid 0, and no capability is left to the program', () => {
  expect(becomeArguments(undefined).join()).not.toMatch(/uid|gid/);
  expect(becomeArguments(2_000_000_001)).toContain('--reuid=2000000001');
  expect(() => becomeArguments(0)).toThrow();
  const powers = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];
  for (const uid of [undefined, 2_000_000_001])
    expect(becomeArguments(uid)).toEqual(expect.arrayContaining(powers));
});
