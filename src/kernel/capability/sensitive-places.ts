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
  // Run for everybody, many of them as root.
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
  // Run by shells, when somebody logs in, and by programs that read them first.
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
