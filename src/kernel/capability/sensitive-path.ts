/**
 * What a grant has to name: a star, or a folder above, does not give the keys that lie below.
 *
 * S1. Names are compared as the most forgiving disk does, which takes `.SSH` for `.ssh` and
 *     does not see a character without width. To take one too many for sensitive only means
 *     that a grant has to name it.
 * S2. Our own home: all of its path, and what in it is meant, down to the folder of an agent.
 * S3. Of /proc every part: it has the memory and the environment of every process.
 * S4. What stands in /etc and /var elsewhere stands in /private of a Mac.
 * S5. `.git` itself: a file of that name, or a folder put there, leads git to other settings.
 *     What is in it, but for the places that are named, is data.
 */

/**
 * The tables of what a grant has to name. In small letters; one `*` in a name is anything.
 * Here is what holds secrets, and what runs by itself when its owner logs in, opens a shell
 * or an editor, or asks git how things are. What is only code of a project is not.
 */

/** From the root. */
export const systemPlaces: readonly string[] = [
  ...places(
    'etc',
    'shadow* gshadow* sudoers* master.passwd security ssh ssl/private pki/tls/private',
  ),
  ...places('etc', 'krb5* letsencrypt wireguard openvpn networkmanager wpa_supplicant* ppp sssd'),
  ...places('etc', 'kubernetes rancher docker'),
  // Run for every user, many of them as root.
  ...places('etc', 'cron* anacrontab at.* profile* environment* bash* zsh* fish csh* skel'),
  ...places(
    'etc',
    'pam.d pam.conf ld.so* init init.d inittab rc* systemd udev modprobe.d modules*',
  ),
  ...places('etc', 'sysctl* polkit-1 dbus-1 xdg/autostart x11 apt logrotate* update-motd.d'),
  ...places('etc', 'gitconfig fstab'),
  ...places('var', 'run spool/cron spool/at spool/anacron backups'),
  ...places('var/lib', 'docker kubelet systemd sss networkmanager'),
  ...places('usr/local', 'bin sbin'),
  ...['proc', 'sys', 'dev', 'run', 'boot', 'efi'],
];

/** Anywhere: credentials, and what browsers keep. */
export const secretPlaces: readonly string[] = [
  ...places('.config', 'gcloud gh hub glab-cli rclone op 1password keepassxc bitwarden* doctl'),
  ...places('.config', 'hcloud scw stripe netlify configstore containers helm sops age solana pip'),
  ...places('.config', 'nuget'),
  ...places('.local/share', 'keyrings kwalletd atuin fish python_keyring telegramdesktop'),
  ...['.cargo/credentials*', '.gem/credentials', '.composer/auth.json', '.m2/settings*'],
  ...['.gradle/gradle.properties', '.gradle/init.*', '.pulumi/credentials*', '.subversion/auth'],
  ...['.foundry/keystores', '.cache/huggingface/token', '.config/slack', '.config/discord'],
  ...['.config/signal'],
  // Browsers.
  ...places('.config', 'google-chrome* chromium* bravesoftware microsoft-edge* vivaldi* opera*'),
  ...['snap/firefox', 'snap/chromium', 'snap/brave', '.var/app'],
  ...places('library', 'keychains cookies safari launchagents launchdaemons'),
  ...places('library/application*', 'google chromium bravesoftware firefox vivaldi arc 1password*'),
  ...places('library/application*', 'com.operasoftware* code cursor claude slack microsoft*'),
];

/** Anywhere. */
export const userPlaces: readonly string[] = [
  ...secretPlaces,
  // Git runs what its settings name.
  ...places('.git', 'hooks config* modules worktrees info'),
  ...['.config/git', '.hg/hgrc'],
  // Run by itself.
  ...places('.config', 'autostart systemd environment.d plasma-workspace i3 sway hypr fish bash'),
  ...places('.config', 'zsh nushell powershell xonsh nvim emacs zed code* vscodium* cursor'),
  ...places('.config', 'github-copilot opencode goose amp'),
  ...places('.local/share', 'applications systemd dbus-1'),
  ...['.local/bin', '.local/lib/python*', '.cargo/bin', '.cargo/config*', '.cargo/env'],
];

/** Anywhere, by themselves: credentials, keys, and what was typed. */
export const secretNames: readonly string[] = [
  ...words('.ssh .gnupg .aws .azure .kube .docker .dockercfg .password-store .oci .aliyun'),
  ...words('.vault-* .terraform.d .terraformrc .databrickscfg .snowsql .kaggle .huggingface .fly'),
  ...words('.chef .minikube .1password .lpass keyrings appdata'),
  ...words('.netrc* _netrc .npmrc .yarnrc* .pypirc .pip .condarc .pgpass .my.cnf .mylogin.cnf'),
  ...words('.git-credentials .credentials* .secret .secrets .secrets.* .env* *.env .htpasswd'),
  ...words('.s3cfg .boto .curlrc .wgetrc .authinfo* .msmtprc .fetchmailrc .smbcredentials'),
  ...words('client_secret*.json service-account*.json service_account*.json'),
  ...words('*.tfstate *.tfstate.backup'),
  ...words('.bitcoin .ethereum .electrum wallet.dat'),
  // Keys.
  ...words('id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p8 *.p12 *.pfx *.pk8 *.ppk'),
  ...words('*.jks *.keystore *.keytab *.kdb *.kdbx *.agekey *.ovpn'),
  // Browsers and mail.
  ...words('.mozilla .librewolf .waterfox .thunderbird'),
  // What was typed, where tokens end up too.
  ...words('.*_history .history .histfile .lesshst .viminfo'),
];

/** Anywhere, by themselves. */
export const sensitiveNames: readonly string[] = [
  ...secretNames,
  // Run by shells, when a user logs in, and by programs that read them first.
  ...words('.profile .bashrc .bash_* .zsh* .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc'),
  ...words('.tcshrc .login .logout .xonshrc .inputrc .oh-my-* .pam_environment'),
  ...words('.xprofile .xinitrc .xsession* .xserverrc .tmux.conf .screenrc .gdbinit .lldbinit'),
  ...words('.psqlrc .sqliterc .pythonrc* .irbrc .pryrc .rprofile'),
  ...words('.gitconfig* .gitmodules .hgrc .husky'),
  // Run by editors and by agents, or obeyed by them.
  ...words('.vscode .vscode-server .idea .fleet .zed .devcontainer* *.code-workspace'),
  ...words('.vim .vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .emacs.d .dir-locals*.el'),
  ...words('.mcp.json .claude .claude.json .codex .cursor .gemini .qwen .aider* .continue'),
  ...words('.codeium .windsurf .copilot .opencode .roo .cline .kiro .goose .junie .openhands'),
];

function words(text: string): readonly string[] {
  return text.split(' ');
}

function places(folder: string, names: string): readonly string[] {
  return words(names).map((name) => `${folder}/${name}`);
}

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
  // S4
  const root = names[0] === 'private' ? 1 : 0;
  for (const place of fromRoot) if (isAt(names, root, place)) add(0, root + place.length);
  // S3
  if (names[0] === 'proc') add(0, names.length);
  for (const [start, name] of names.entries()) {
    for (const place of placesFrom(name)) {
      if (isAt(names, start, place)) add(start, start + place.length);
    }
  }
  // S5
  if (names.at(-1) === '.git') add(names.length - 1, names.length);
  return [...found].sort((one, other) => one - other);
}

const fromRoot = systemPlaces.map((place) => place.split('/'));
const anywhere = [...userPlaces, ...sensitiveNames].map((place) => place.split('/'));
const byFirstName = Map.groupBy(anywhere, ([first = '']) => (first.includes('*') ? '*' : first));

function placesFrom(name: string): readonly (readonly string[])[] {
  return [...(byFirstName.get(name) ?? []), ...(byFirstName.get('*') ?? [])];
}

function isAt(names: readonly string[], start: number, place: readonly string[]): boolean {
  return place.every((wanted, index) => isName(names[start + index] ?? '', wanted));
}

function isName(name: string, wanted: string): boolean {
  const star = wanted.indexOf('*');
  if (star < 0) return name === wanted;
  const end = wanted.slice(star + 1);
  return (
    name.length >= star + end.length && name.startsWith(wanted.slice(0, star)) && name.endsWith(end)
  );
}

// S2
function partsOfHome(names: readonly string[], home: readonly string[]): number {
  if (!home.every((name, index) => names[index] === name)) return 0;
  // agents/NAME/workspace
  return home.length + (names[home.length] === 'agents' ? 3 : 1);
}

/** S1 */
export function folded(name: string): string {
  const seen = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Up and down again: only that takes "ſ" to "s".
  return seen.toUpperCase().toLowerCase();
}

const secrets = [...secretPlaces, ...secretNames].map((place) => place.split('/'));

/** Whether the end of the path is where secrets are kept, such as `.env` or `.config/gcloud`. */
export function endsAtSecret(path: readonly string[]): boolean {
  const names = path.map(folded);
  return secrets.some((place) => isAt(names, names.length - place.length, place));
}

/** Whether folders of secrets usually lie in it, such as `.config`. */
export function isAboveSecrets(path: readonly string[]): boolean {
  const names = path.map(folded);
  return secrets.some((place) =>
    place.some((_, index) => {
      const above = place.slice(0, index);
      return above.length > 0 && isAt(names, names.length - above.length, above);
    }),
  );
}
