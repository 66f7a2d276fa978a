/**
 * For a shell that becomes the launcher of a sandbox: ends where it has inherited more than the
 * descriptors of one digit, which it can close. A shell cannot close the others.
 */
export const noStrangers =
  'for d in /proc/self/fd/[1-9][0-9]*; do case $d in *[0-9]) echo "descriptors are inherited ($d)" >&2; exit 125;; esac; done';

/**
 * For a shell: $1, $2, … up to `--` are the lists of control groups that it joins, before it
 * starts anything.
 */
export const joinLists = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done';

/** What follows is the launcher that it becomes then. */
export const joinAndBecome = `${noStrangers}; ${joinLists}; shift; exec "$@"`;
