/**
 * Does the wall stand? A program is started behind it and tries the ways out that matter. One
 * that works is reason enough to run nothing at all.
 */

/** Not 0, which a launcher that runs nothing at all ends with, too. */
export const isolatedExitCode = 42;

export interface SelfTest {
  /** A file of the host, closed to others, that nobody inside may see. */
  readonly canary: string;
}

/** Says what is wrong on its output, or ends with `isolatedExitCode`. */
export function selfTestProgram({ canary }: SelfTest): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', program, 'sh', canary];
}

// Each line looks at one wall. `bad` is what a hole is called.
const program = `
bad() { echo "$1"; exit 1; }
for place in /root /home /etc/shadow /sys /var/run /run/dbus /oldroot /newroot "$1"; do
  test ! -e "$place" || bad "the host's files are visible ($place)"
done
for place in / /usr /etc /dev /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname \\
  /proc/sys/net/ipv4/ip_forward /proc/sysrq-trigger; do
  test ! -w "$place" || bad "$place can be written"
done
test "$(echo /proc/[0-9]* | wc -w)" -le 8 || bad "the host's processes are visible"
while read -r card _; do case $card in
  lo:) ;; *:) bad "the network is reachable ($card)";;
esac; done < /proc/net/dev
while read -r key value _; do case $key in
  Uid:) test "$value" != 0 || bad "the program is the host's root";;
  NoNewPrivs:) test "$value" = 1 || bad "new privileges can be had";;
  Seccomp:) test "$value" = 2 || bad "system calls are not filtered";;
  CapEff:|CapPrm:|CapBnd:|CapAmb:) test "$value" = 0000000000000000 || bad "capabilities are left ($key)";;
esac; done < /proc/self/status
test ! -r /proc/1/environ || test -z "$(tr -d '\\0' < /proc/1/environ)" || bad "the launcher's environment is visible"
(: >> /proc/1/mem) 2>/dev/null && bad "memory of the first process can be written"
set -- $(ls /proc/self/fd); test "$*" = '0 1 2 3' || bad "descriptors are inherited ($*)"
unshare --user true 2>/dev/null && bad "new namespaces can be made"
: > /workspace/.aos-self-test || bad "the workspace cannot be written"
chmod 4755 /workspace/.aos-self-test 2>/dev/null && bad "setuid files can be made"
rm -f /workspace/.aos-self-test
exit ${isolatedExitCode}`;

const oldest = [0, 8] as const;

/** Undefined where this bubblewrap can do what is asked of it. Takes what `--version` prints. */
export function tooOld(version: string): string | undefined {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return `it does not tell its version: ${version.slice(0, 100)}`;
  const isOld = Number(major) === oldest[0] && Number(minor) < oldest[1];
  return isOld
    ? `it is bubblewrap ${major}.${minor}, and ${oldest.join('.')} is needed`
    : undefined;
}

export const notInstalled = {
  says: 'bubblewrap is not installed',
  fix: 'sudo apt-get install bubblewrap (or with the package manager of this system)',
} as const;

export const noRoom = {
  says: 'no sandbox can be made, because the disk under the home folder is full',
  fix: 'aos gc gives back the room that is kept for this; then free some space there',
} as const;

/** Whether the system refused a file for want of room, which is no fault of the wall. */
export function saysNoRoom(words: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(words);
}

/** What to do about what a launcher, or the program behind it, said. */
export function fixFor(words: string): string {
  if (/uid map|namespace|Operation not permitted|Permission denied/i.test(words)) {
    return 'allow unprivileged user namespaces for bwrap (on Ubuntu 24.04 and later an AppArmor profile for /usr/bin/bwrap; in a container --security-opt seccomp=unconfined)';
  }
  if (/descriptors are inherited/.test(words)) {
    return 'start the daemon without descriptors of others: aos up --detach';
  }
  if (/setpriv/.test(words)) return 'sudo apt-get install util-linux';
  return 'install bubblewrap 0.8 or newer: sudo apt-get install --reinstall bubblewrap';
}
