import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { ownGroup } from '../../engines/process/control-group.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { GroupsInRoom } from './limit-groups.ts';
import {
  countOf,
  firstVersionRoom,
  groupWords,
  missingControllers,
  roomIn,
} from './limit-groups-room.ts';

const first = [
  '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct',
  '33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset',
  '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory',
  '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
].join('\n');
const hybrid = `${first}\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw`;
const contained = first.replaceAll(' / ', ' /docker/1 ');
const second = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw';
const places = '8:pids:/\n4:memory:/docker/1\n3:cpuset:/\n1:cpu,cpuacct:/a:b\n';

const limits: SandboxLimits = {
  ...{ memoryBytes: 64 * 2 ** 20, processes: 32, cpuPercent: 50 },
  ...{ fileBytes: 0, openFiles: 0, workspaceBytes: 0, workspaceFiles: 0 },
};

test.each([
  ['the first version', first],
  ['both versions beside each other', hybrid],
])('each controller has a place of its own in %s', (_what, mountinfo) => {
  expect(firstVersionRoom(mountinfo, `${places}0::/\n`)?.folders).toEqual({
    memory: '/sys/fs/cgroup/memory/docker/1',
    pids: '/sys/fs/cgroup/pids/',
    cpu: '/sys/fs/cgroup/cpu,cpuacct/a:b',
  });
});

test('a container sees its own groups as the topmost ones', () => {
  const place = '3:pids:/docker/1\n2:memory:/docker/1/a\n1:cpu,cpuacct:/docker/1\n';

  expect(firstVersionRoom(contained, place)?.folders).toEqual({
    memory: '/sys/fs/cgroup/memory/a',
    pids: '/sys/fs/cgroup/pids/',
    cpu: '/sys/fs/cgroup/cpu,cpuacct/',
  });
});

test.each([
  ['only the second version', second, '0::/user.slice\n'],
  ['no memory controller', first.replace('rw,memory', 'rw,devices'), places],
  ['a place that cannot be seen', contained, places],
  ['nothing', '', ''],
])('there is no room of the first version where there is %s', (_what, mountinfo, place) => {
  expect(firstVersionRoom(mountinfo, place)).toBeUndefined();
});

test('a controller is told from another whose name begins the same', () => {
  expect(ownGroup(first, '3:cpuset:/x\n1:cpu,cpuacct:/y\n', 'cpu')).toBe(
    '/sys/fs/cgroup/cpu,cpuacct/y',
  );
});

test.each([
  ['low 0\nhigh 3\nmax 7\noom 2\noom_kill 1\n', 'oom_kill', 1],
  ['oom_kill_disable 0\nunder_oom 0\noom_kill 12\n', 'oom_kill', 12],
  ['max 5\n', 'max', 5],
  ['max 5\n', 'oom_kill', 0],
  ['max many\n', 'max', 0],
  ['', 'max', 0],
])('countOf(%j, %j) is %i', (text, word, count) => {
  expect(countOf(text, word)).toBe(count);
});

test('missingControllers() names what is not in a list', () => {
  expect(missingControllers('cpuset cpu io memory pids\n')).toEqual([]);
  expect(missingControllers('cpuset io memory\n')).toEqual(['pids', 'cpu']);
  expect(missingControllers('')).toEqual(['memory', 'pids', 'cpu']);
});

test('the processors are given in parts of a tenth of a second, and never none of one', () => {
  const quota = (cpuPercent: number) =>
    groupWords[2].settings({ ...limits, cpuPercent }).find(({ name }) => name === 'cpu.max')?.value;

  expect(quota(250)).toBe('250000 100000');
  expect(quota(0.1)).toBe('1000 100000');
});

/** A folder that has the files of a group of the second version. */
function groupOf(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
  return folder;
}

const all = 'cpuset cpu io memory pids\n';
const pid = 4711;

test('in the topmost group of the second version, nobody moves', async () => {
  await using folder = temporaryFolder();
  const own = groupOf(folder.at('top'), { 'cgroup.subtree_control': all });

  expect(roomIn(own, pid)).toMatchObject({ version: 2, folders: { memory: own, cpu: own } });
});

test('who has moved already makes groups beside the one it is in', async () => {
  await using folder = temporaryFolder();
  groupOf(folder.path, { 'cgroup.subtree_control': all });
  const own = groupOf(folder.at('aos-daemon'), { 'cgroup.type': 'domain\n' });

  expect(roomIn(own, pid)?.folders.pids).toBe(folder.path);
});

test('where others are in our group, nobody is moved and nothing is handed on', async () => {
  await using folder = temporaryFolder();
  const own = groupOf(folder.at('scope'), {
    ...{ 'cgroup.type': 'domain\n', 'cgroup.procs': `${pid}\n4712\n` },
    'cgroup.subtree_control': '',
  });

  expect(roomIn(own, pid)).toBeUndefined();
  expect(readFileSync(`${own}/cgroup.procs`, 'utf8')).toBe(`${pid}\n4712\n`);
  expect(readFileSync(`${own}/cgroup.subtree_control`, 'utf8')).toBe('');
});

test('who cannot hand its controllers on is back where it was', async () => {
  await using folder = temporaryFolder();
  const own = groupOf(folder.at('scope'), {
    ...{ 'cgroup.type': 'domain\n', 'cgroup.procs': `${pid}\n` },
  });
  mkdirSync(`${own}/cgroup.subtree_control`);

  expect(roomIn(own, pid)).toBeUndefined();
  expect(readFileSync(`${own}/aos-daemon/cgroup.procs`, 'utf8')).toBe(String(pid));
  expect(readFileSync(`${own}/cgroup.procs`, 'utf8')).toBe(String(pid));
});

test('a group of the second version gets all its limits, and says how often they were met', async () => {
  await using folder = temporaryFolder();
  const at = { memory: folder.path, pids: folder.path, cpu: folder.path };
  const groups = new GroupsInRoom({ version: 2, folders: at, undo: () => {} });

  const group = groups.make('../one', limits);
  const own = folder.at(`aos-box-${process.pid}-one`);
  groupOf(own, { 'memory.events': 'oom 3\noom_kill 2\n', 'pids.events': 'max 9\n' });
  for (const path of group.procsPaths) writeFileSync(path, String(pid));

  expect(group.procsPaths).toEqual([`${own}/cgroup.procs`]);
  expect(group.met()).toEqual({ memoryKills: 2, processRefusals: 9 });
  expect(group.pids()).toEqual([pid]);
  const read = (name: string) => readFileSync(`${own}/${name}`, 'utf8');
  expect(read('memory.max')).toBe(String(limits.memoryBytes));
  expect(read('pids.max')).toBe('32');
  expect(read('cpu.max')).toBe('50000 100000');
});

test('make() says so when the system refuses, and leaves nothing', async () => {
  await using folder = temporaryFolder();
  const at = { memory: folder.path, pids: folder.at('missing'), cpu: folder.path };
  const groups = new GroupsInRoom({ version: 1, folders: at, undo: () => {} });

  expect(() => groups.make('one', limits)).toThrow(
    expect.objectContaining({ code: 'sandbox.not-started' }),
  );
  expect(() => readFileSync(folder.at(`aos-box-${process.pid}-one`))).toThrow('ENOENT');
});
