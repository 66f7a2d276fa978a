/**
 * For a shell: $1, $2, … up to `--` are the lists of control groups that it joins, before it
 * starts anything.
 */
export const joinLists = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done';

/** What follows is what it becomes then. */
export const joinAndBecome = `${joinLists}; shift; exec "$@"`;
