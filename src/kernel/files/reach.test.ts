import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../tests/support/tier.ts';
import { pathAction } from '../capability/action-text.ts';
import { decide, type GrantChain, type PathTarget } from '../capability/capability.ts';
import { parseCapability } from '../capability/capability-text.ts';
import type { FileReach } from './look.ts';
import { isInReach, reachFrom } from './reach.ts';

const aosHome = '/home/u/.aos';
const parts = (path: string) => path.split('/').filter((part) => part !== '');

function target(path: string): PathTarget {
  const { target: found } = parseCapability(`file:${path}:read`);
  if (found.kind !== 'path') throw new Error(`${path} is no path`);
  return found;
}

function granted(...chains: (readonly string[])[]): FileReach {
  return { kind: 'granted', aosHome, chains: chains.map((chain) => chain.map(target)) };
}

/** As a walk asks: from the base down, name by name. */
function isWalkedTo(reach: FileReach, base: string, path: string): boolean {
  const names = parts(path).slice(parts(base).length);
  let here: ReturnType<typeof reachFrom> | undefined = reachFrom(reach, parts(base));
  for (const name of names.slice(0, -1)) here = here?.into(name);
  return here?.sees(names.at(-1) ?? '') ?? false;
}

describe('a path is in reach', () => {
  test.each([
    ['/home/u/**', '/home/u/a/b'],
    ['/home/u/*', '/home/u/a'],
    ['/home/u/.ssh/**', '/home/u/.ssh/config'],
    ['/home/u/repo/**', '/home/u/repo/.git/HEAD'],
  ])('of %s: %s', (grant, path) => {
    expect(isInReach(granted([grant]), parts(path))).toBe(true);
    expect(isWalkedTo(granted([grant]), '/home', path)).toBe(true);
  });
});

describe('a path is not in reach', () => {
  test.each([
    ['/home/u/**', '/home/ub/a'],
    ['/home/u/*', '/home/u/a/b'],
    ['/home/u/**', '/home/u/.ssh/config'],
    ['/home/u/**', '/home/u/a/id_rsa'],
    ['/home/u/**', '/home/u/.config/gcloud/x'],
    ['/home/u/**', '/home/u/.aos/ledger.db'],
    ['/home/u/**', '/home/u/a/.ENV'],
    ['/home/u/repo/**', '/home/u/repo/.git'],
    ['/home/u/repo/**', '/home/u/repo/.git/hooks/x'],
    ['/**', '/etc/shadow'],
    ['/**', '/proc/1/environ'],
  ])('of %s: %s', (grant, path) => {
    expect(isInReach(granted([grant]), parts(path))).toBe(false);
    expect(isWalkedTo(granted([grant]), '/', path)).toBe(false);
  });

  test('where a grant above the grant does not cover it', () => {
    const reach = granted(['/home/u/**', '/home/u/a/**']);

    expect(isInReach(reach, parts('/home/u/a/x'))).toBe(true);
    expect(isInReach(reach, parts('/home/u/b/x'))).toBe(false);
  });
});

test('a walk goes through folders that are not in reach only on the way to one that is', () => {
  const here = reachFrom(granted(['/home/u/a/b/**']), parts('/home/u'));

  expect(here.sees('a')).toBe(false);
  expect(here.into('a')?.sees('b')).toBe(true);
  expect(here.into('c')).toBeUndefined();
});

describe('where something is to be changed, the owner', () => {
  const reach: FileReach = { kind: 'all', aosHome, passOverSecrets: true };

  test.each(['/home/u/.ssh', '/home/u/a/.env', '/home/u/.aos', '/home/u/.config/gcloud'])(
    'passes over %s',
    (path) => {
      expect(isInReach(reach, parts(path), parts('/home/u'))).toBe(false);
      expect(isWalkedTo(reach, '/home/u', path)).toBe(false);
      expect(isWalkedTo(reach, '/home/u', `${path}/below`)).toBe(false);
    },
  );

  test.each([
    ['/home/u/.ssh', '/home/u/.ssh/id_rsa'],
    ['/home/u/.aos', '/home/u/.aos/ledger.db'],
    ['/home/u/.config/gcloud/x', '/home/u/.config/gcloud/x/y'],
  ])('reaches what lies in %s when that is the base', (base, path) => {
    expect(isWalkedTo(reach, base, path)).toBe(true);
  });

  test('reaches everything where nothing is to be passed over', () => {
    const all: FileReach = { ...reach, passOverSecrets: false };

    expect(isWalkedTo(all, '/home/u', '/home/u/.ssh/id_rsa')).toBe(true);
  });
});

const name = fc.constantFrom(
  ...['a', 'b', 'home', 'u', '.aos', '.ssh', '.SSH', '.config', 'gcloud', 'x.pem', 'X.KEY', '.git'],
  ...[
    'hooks',
    'HEAD',
    'agents',
    'jean',
    'workspace',
    'etc',
    'shadow',
    'proc',
    'id_rsa.pub',
    '.env',
  ],
  ...['library', 'Library', 'application support', 'google', 'snap', 'firefox', 'var', 'lib'],
  ...[
    'docker',
    'usr',
    'local',
    'bin',
    'private',
    '.ſsh',
    'ｅtc',
    'client_secret_1.json',
    'caf\udce9',
  ],
);
const pathOf = fc.array(name, { minLength: 1, maxLength: 6 });
const grantOf = fc
  .tuple(
    fc.array(
      fc.oneof(
        name.map((text) => ({ name: text })),
        fc.constant('any' as const),
      ),
      {
        maxLength: 5,
      },
    ),
    fc.boolean(),
  )
  .map(([segments, subtree]): PathTarget => ({ kind: 'path', segments, subtree }));

test('the walk, the question of one path, and decide() say the same', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(grantOf, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
      pathOf,
      fc.nat(5),
      (chains, path, depth) => {
        const reach: FileReach = { kind: 'granted', aosHome, chains };
        const base = path.slice(0, Math.min(depth, path.length - 1));
        const grants = chains.map(
          (chain, index): GrantChain => ({
            id: `${index}`,
            links: chain.map((each, link) => ({
              id: `${index} ${link}`,
              capability: { resource: 'file', target: each, actions: ['read'], constraints: {} },
              revoked: false,
            })),
          }),
        );

        const decided = decide(grants, pathAction(aosHome, path, 'read'), 0).kind === 'allowed';

        expect(isInReach(reach, path)).toBe(decided);
        expect(isWalkedTo(reach, `/${base.join('/')}`, `/${path.join('/')}`)).toBe(decided);
      },
    ),
    { numRuns: times({ fast: 500, full: 5000 }) },
  );
});

test('the walk of an owner, and the question of one path, say the same', () => {
  fc.assert(
    fc.property(pathOf, fc.nat(5), (path, depth) => {
      const reach: FileReach = { kind: 'all', aosHome, passOverSecrets: true };
      const base = path.slice(0, Math.min(depth, path.length - 1));

      const isIn = isInReach(reach, path, base);

      expect(isWalkedTo(reach, `/${base.join('/')}`, `/${path.join('/')}`)).toBe(isIn);
    }),
    { numRuns: times({ fast: 500, full: 5000 }) },
  );
});
