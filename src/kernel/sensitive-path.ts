/**
 * What a grant has to name: a star, or a folder above, gives nobody the keys that lie below.
 *
 * S1. Names are compared as the most forgiving disk does, which takes `.SSH` for `.ssh` and
 *     does not see a character without width. To take one too many for sensitive only means
 *     that a grant has to name it.
 * S2. Our own home: all of its path, and what in it is meant, down to the folder of an agent.
 * S3. Of /proc every part: it has the memory and the environment of every process.
 */

/** Indexes of the parts that have to be named. */
export function sensitiveParts(
  path: readonly string[],
  homes: { readonly aosHome: readonly string[] },
): readonly number[] {
  const names = path.map(folded);
  const found = new Set<number>();
  const add = (start: number, end: number) => {
    for (let index = start; index < Math.min(end, names.length); index++) found.add(index);
  };
  add(0, partsOfHome(names, homes.aosHome.map(folded)));
  for (const place of systemPlaces) if (isAt(names, 0, place)) add(0, place.length);
  // S3
  if (names[0] === 'proc') add(0, names.length);
  for (const start of names.keys()) {
    if (isSecretName(names[start] ?? '')) add(start, start + 1);
    for (const place of userPlaces) {
      if (isAt(names, start, place)) add(start, start + place.length);
    }
  }
  return [...found].sort((one, other) => one - other);
}

/** From the root. `*` at the end of a name is anything. */
const systemPlaces = [
  'etc/shadow*',
  'etc/gshadow*',
  'etc/sudoers*',
  'etc/ssh',
  'etc/ssl/private',
  'proc',
  'sys',
  'dev',
  'run',
  'var/run',
].map((place) => place.split('/'));

/** Anywhere. */
const userPlaces = [
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/rclone',
  '.config/op',
  '.config/google-chrome',
  '.config/chromium',
  '.config/autostart',
  '.config/systemd',
  '.local/share/keyrings',
  'library/keychains',
  '.git/hooks',
  '.git/config',
  '.terraform.d/credentials*',
  '.cargo/credentials*',
  '.gem/credentials',
  '.composer/auth.json',
  '.m2/settings*',
].map((place) => place.split('/'));

const secretNames = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store', 'keyrings'],
  ...[
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.git-credentials',
    '.vault-*',
  ],
  ...['.env', '.env.*', '.envrc', '.htpasswd', '.s3cfg', '.boto', '.mozilla', '.thunderbird'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.authinfo*', '.dockercfg', '.mcp.json'],
  // Shells run these and keep in them what was typed; both are where tokens end up.
  ...[
    '.profile',
    '.bashrc',
    '.bash_*',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zsh_history',
  ],
  // Written by somebody else, an editor would run these.
  ...['.vscode', '.idea'],
];

function isSecretName(name: string): boolean {
  return secretNames.some((secret) => isName(name, secret));
}

function isAt(names: readonly string[], start: number, place: readonly string[]): boolean {
  return place.every((wanted, index) => isName(names[start + index] ?? '', wanted));
}

function isName(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

// S2
function partsOfHome(names: readonly string[], home: readonly string[]): number {
  if (!home.every((name, index) => names[index] === name)) return 0;
  // agents/NAME/workspace
  return home.length + (names[home.length] === 'agents' ? 3 : 1);
}

// S1
function folded(name: string): string {
  const seen = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Up and down again: only that takes "ſ" to "s".
  return seen.toUpperCase().toLowerCase();
}
