import { describe, expect, test } from 'vitest';
import { sensitiveParts } from './sensitive-path.ts';

const aosHome = ['home', 'u', '.agent-relay'];
const partsOf = (path: string) =>
  sensitiveParts(
    path.split('/').filter((name) => name !== ''),
    { aosHome },
  );

describe('sensitiveParts()', () => {
  test.each([
    '/home/u/notes.txt',
    '/home/u/environment/ssh/id.txt',
    '/etc/passwd',
    '/etc/hosts',
    '/home/u/.config/other/file',
    '/home/u/.agent-relay-2/keys',
    '/home/agents/jean',
    '/home/u',
    '/process/x',
    '/var/running',
    '/',
  ])('asks for no name in %s', (path) => {
    expect(partsOf(path)).toEqual([]);
  });

  test.each([
    ['/home/u/.ssh', [2]],
    ['/home/u/.ssh/id_ed25519', [2, 3]],
    ['/srv/app/.env', [2]],
    ['/srv/app/.env.production', [2]],
    ['/home/u/.config/gh/hosts.yml', [2, 3]],
    ['/home/u/.local/share/keyrings/login.keyring', [2, 3, 4]],
    ['/home/u/repo/.git/hooks/pre-commit', [3, 4]],
    ['/home/u/.aws/credentials', [2]],
    ['/home/u/a/.gnupg/b/.ssh/c', [3, 5]],
    ['/etc/shadow', [0, 1]],
    ['/etc/shadow-', [0, 1]],
    ['/etc/sudoers.d/x', [0, 1]],
    ['/etc/ssl/private/key.pem', [0, 1, 2]],
    ['/etc/ssl/certs/ca.pem', []],
    ['/sys/kernel/x', [0]],
    ['/dev/shm/x', [0]],
    ['/run/user/1000/bus', [0]],
    ['/var/run/docker.sock', [0, 1]],
    ['/proc/1/environ', [0, 1, 2]],
  ])('asks a grant to name in %s the parts %j', (path, parts) => {
    expect(partsOf(path)).toEqual(parts);
  });

  test.each([
    ['/home/u/.agent-relay', [0, 1, 2]],
    ['/home/u/.agent-relay/keys/secrets.key', [0, 1, 2, 3]],
    ['/home/u/.agent-relay/ledger.db-wal', [0, 1, 2, 3]],
    ['/home/u/.agent-relay/config.json', [0, 1, 2, 3]],
    ['/home/u/.agent-relay/agents', [0, 1, 2, 3]],
    ['/home/u/.agent-relay/agents/jean/workspace', [0, 1, 2, 3, 4, 5]],
    ['/home/u/.agent-relay/agents/jean/workspace/a/b', [0, 1, 2, 3, 4, 5]],
    ['/home/u/.agent-relay/agents/jean/inbox/x.msg', [0, 1, 2, 3, 4, 5]],
  ])('asks for the names of our own home in %s: %j', (path, parts) => {
    expect(partsOf(path)).toEqual(parts);
  });

  test.each([
    '/home/u/.SSH/x',
    '/home/u/.Ssh/x',
    '/home/u/.\u017f\u017fh/x',
    '/home/u/.s\u200csh/x',
    '/home/u/.\uff53sh/x',
    '/home/u/.\u212aube/x',
  ])('is not led astray by another spelling that a disk takes for the same: %j', (path) => {
    expect(partsOf(path)).toEqual([2]);
  });

  test('takes another spelling of our home for our home', () => {
    expect(partsOf('/Home/U/.AGENT-RELAY/keys')).toEqual([0, 1, 2, 3]);
  });
});
