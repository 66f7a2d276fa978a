import { expect, test } from 'vitest';
import { ownGroup } from './control-group.ts';

const whole = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw';
const hybrid = [
  '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
  '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw',
].join('\n');

test.each([
  ['of a session', whole, '0::/user.slice/a.scope\n', '/sys/fs/cgroup/user.slice/a.scope'],
  ['beside groups of the first version', hybrid, '4:memory:/x\n0::/\n', '/sys/fs/cgroup/unified/'],
  [
    'below the part that is mounted',
    '30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw',
    '0::/docker/1/a\n',
    '/sys/fs/cgroup/a',
  ],
  [
    'that is the part which is mounted',
    '30 23 0:26 /docker/1 /my\\040groups rw - cgroup2 cgroup rw',
    '0::/docker/1\n',
    '/my groups/',
  ],
])('ownGroup() finds the folder %s', (_what, mountinfo, place, folder) => {
  expect(ownGroup(mountinfo, place)).toBe(folder);
});

test.each([
  ['no group of the second version', '', '0::/\n'],
  ['only groups of the first version', hybrid, '4:memory:/x\n'],
  ['a place outside of what is mounted', '1 2 0:3 /docker/1 /c rw - cgroup2 c rw', '0::/other\n'],
  ['a place above what can be seen', whole, '0::/../x\n'],
  ['a name that only begins the same', '1 2 0:3 /a /c rw - cgroup2 c rw', '0::/ab\n'],
])('ownGroup() finds nothing where there is %s', (_what, mountinfo, place) => {
  expect(ownGroup(mountinfo, place)).toBeUndefined();
});
