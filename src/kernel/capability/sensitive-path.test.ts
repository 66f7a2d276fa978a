import { describe, expect, test } from 'vitest';
import {
  endsAtSecret,
  isAboveSecrets,
  sensitiveNames,
  sensitiveParts,
  systemPlaces,
  userPlaces,
} from './sensitive-path.ts';

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
    '/srv/app/src/keys.ts',
    '/srv/app/src/key',
    '/srv/app/src/pem.ts',
    '/srv/app/src/env.ts',
    '/srv/app/env/index.ts',
    '/srv/app/src/history.ts',
    '/srv/app/chat_history',
    '/srv/app/public.pem.md',
    '/srv/app/.git/HEAD',
    '/srv/app/.git/refs/heads/main',
    '/srv/app/.gitignore',
    '/srv/app/.gitattributes',
    '/srv/app/.github/workflows/ci.yml',
    '/srv/app/src/git/hooks/use.ts',
    '/srv/app/src/library/containers/box.ts',
    '/srv/app/AGENTS.md',
    '/srv/app/package.json',
    '/srv/app/local/bin/x',
    '/srv/app/etc/cron.d/x',
    '/srv/app/boot/x',
    '/usr/share/dict/words',
    '/home/u/.cache/x',
    '/home/u/.config/app.json',
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
    ['/etc/ssl/private/key', [0, 1, 2]],
    ['/etc/ssl/private/key.pem', [0, 1, 2, 3]],
    ['/etc/ssl/certs/ca.pem', [3]],
    ['/private/etc/sudoers', [0, 1, 2]],
    ['/var/spool/cron/crontabs/u', [0, 1, 2]],
    ['/boot/grub/grub.cfg', [0]],
    ['/home/u/repo/.git', [3]],
    ['/home/u/repo/.git/modules/sub/config', [3, 4]],
    ['/home/u/.config/BraveSoftware/Brave-Browser/Default/Cookies', [2, 3]],
    ['/Users/u/Library/Application Support/Google/Chrome/Default/Cookies', [2, 3, 4]],
    ['/sys/kernel/x', [0]],
    ['/dev/shm/x', [0]],
    ['/run/user/1000/bus', [0]],
    ['/var/run/docker.sock', [0, 1]],
    ['/proc/1/environ', [0, 1, 2]],
  ])('asks a grant to name in %s the parts %j', (path, parts) => {
    expect(partsOf(path)).toEqual(parts);
  });

  test.each([
    ...['server.key', 'cert.pem', '.pem', 'a.p12', 'a.pfx', 'a.kdbx', 'a.jks', 'id_ed25519_sk'],
    ...['.gitconfig', '.gitmodules', '.git/config', '.git/config.worktree', '.git/info/exclude'],
    ...['.git/worktrees/a/config', '.config/git/config', '.husky/pre-commit'],
    ...['.zlogout', '.zlogin', '.xprofile', '.xinitrc', '.xsessionrc', '.inputrc', '.profile'],
    ...['.pam_environment', '.config/fish/config.fish', '.config/environment.d/a.conf'],
    ...['.python_history', '.node_repl_history', '.psql_history', '.bash_history', '.lesshst'],
    ...['.config/microsoft-edge/x', '.config/vivaldi/x', '.config/opera/x', '.librewolf/x'],
    ...['.claude/settings.json', '.codex/config.toml', '.cursor/mcp.json', '.gemini/x', '.qwen/x'],
    ...['.mcp.json', '.vscode/tasks.json', '.devcontainer/devcontainer.json', '.vimrc'],
    ...['.local/bin/git', '.cargo/bin/cargo', '.terraform.d/credentials.tfrc.json'],
    ...['.env', '.env.local', 'prod.env', '.netrc', '.aws/credentials', 'terraform.tfstate'],
  ])('asks for the name of %s wherever it is', (path) => {
    const { length } = partsOf(path);

    expect(length).toBeGreaterThan(0);
    expect(partsOf(`/srv/deep/er/${path}`)).toHaveLength(length);
    expect(partsOf(`/srv/deep/er/${path.toUpperCase()}`)).toHaveLength(length);
  });

  test.each([
    ...['cron.d/x', 'crontab', 'profile', 'profile.d/x.sh', 'pam.d/sshd', 'ld.so.preload'],
    ...['environment', 'bash.bashrc', 'zsh/zshrc', 'systemd/system/x.service', 'rc.local'],
    ...['shadow-', 'gshadow', 'krb5.keytab', 'letsencrypt/live/x', 'wireguard/wg0.conf'],
  ])('asks for the name of /etc/%s', (path) => {
    expect(partsOf(`/etc/${path}`).slice(0, 2)).toEqual([0, 1]);
    expect(partsOf(`/private/etc/${path}`).slice(0, 3)).toEqual([0, 1, 2]);
  });

  test('knows everything that its tables have, and the tables have nothing it cannot read', () => {
    for (const place of [...systemPlaces, ...userPlaces, ...sensitiveNames]) {
      const names = place.split('/');

      expect(partsOf(place.replaceAll('*', 'x')), place).toHaveLength(names.length);
      expect(partsOf(place.replaceAll('*', '')), place).toHaveLength(names.length);
      for (const name of names) expect(name).toMatch(/^[^*A-Z ]+[*]?[^*A-Z ]*$|^[*][^*A-Z ]+$/);
    }
  });

  test.each([
    ['/home/u/.agent-relay', [0, 1, 2]],
    ['/home/u/.agent-relay/keys/secrets.key', [0, 1, 2, 3, 4]],
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

describe('secrets among what a program would be shown', () => {
  const parts = (path: string): readonly string[] => path.split('/').slice(1);

  test.each(['/p/.env', '/p/a/id_rsa', '/p/.SSH', '/p/.config/gcloud', '/p/server.key'])(
    '%s is where one is kept',
    (path) => {
      expect(endsAtSecret(parts(path))).toBe(true);
    },
  );

  test.each(['/p/.git', '/p/.vscode', '/p/src/env.ts', '/p/.config/other', '/gcloud'])(
    '%s is not',
    (path) => {
      expect(endsAtSecret(parts(path))).toBe(false);
    },
  );

  test.each(['/home/u/.config', '/home/u/.local/share', '/home/u/.cargo'])(
    '%s usually holds some',
    (path) => {
      expect(isAboveSecrets(parts(path))).toBe(true);
    },
  );

  test.each(['/home/u/project', '/srv', '/home/u/config'])('%s usually holds none', (path) => {
    expect(isAboveSecrets(parts(path))).toBe(false);
  });
});
