import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../../../tests/support/machine.ts';
import { until } from '../../../tests/support/until.ts';
import { ownGroup } from '../../engines/process/control-group.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { findLimitGroups, type LimitGroup, type LimitGroups } from './limit-groups.ts';

const limits: SandboxLimits = {
  ...{ memoryBytes: 48 * 2 ** 20, processes: 16, cpuPercent: 50 },
  ...{ fileBytes: 0, openFiles: 0, workspaceBytes: 0, workspaceFiles: 0 },
};
const found = findLimitGroups();

/** A group that is gone, with all in it, when the block ends. */
function made(groups: LimitGroups, wanted: Partial<SandboxLimits> = {}) {
  const group = groups.make('test', { ...limits, ...wanted });
  return {
    group,
    [Symbol.asyncDispose]: async () => {
      await until(() => {
        for (const pid of group.pids()) tryKill(pid);
        expect(group.pids()).toEqual([]);
      });
      group.remove();
    },
  };
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A program that joins the group before it becomes what it is. */
function runIn(group: LimitGroup, ...argv: string[]): ChildProcess {
  const join = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 99; shift; done; shift; exec "$@"';
  const args = ['-c', join, 'sh', ...group.procsPaths, '--', ...argv];
  return spawn('/bin/sh', args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

const folders = (group: LimitGroup) => group.procsPaths.map(dirname);

if (found === undefined) {
  test('findLimitGroups() finds none where our own groups are shared, or not ours to change', () => {
    const read = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
    const [mountinfo, place] = [read('mountinfo'), read('cgroup')];
    const own = ownGroup(mountinfo, place) ?? ownGroup(mountinfo, place, 'memory');

    expect(own === undefined || isShared(own) || !isWritable(own)).toBe(true);
  });
} else {
  describe(`in control groups of version ${found.version},`, () => inGroups(found));
}

function isShared(group: string): boolean {
  return readFileSync(`${group}/cgroup.procs`, 'utf8').trim() !== String(process.pid);
}

function isWritable(group: string): boolean {
  try {
    accessSync(group, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function inGroups(groups: LimitGroups): void {
  test('findLimitGroups() leaves nothing behind', async () => {
    await using box = made(groups);
    const beside = () =>
      folders(box.group).flatMap((folder) =>
        readdirSync(dirname(folder)).filter((name) => name.includes(`box-${process.pid}-trial`)),
      );

    expect(findLimitGroups()?.version).toBe(groups.version);

    expect(beside()).toEqual([]);
  });

  test.skipIf(!hasSandbox)(
    'findLimitGroups() finds none where the groups can only be read, as in a container',
    () => {
      const file = JSON.stringify(join(import.meta.dirname, 'limit-groups.ts'));
      const script = `import { findLimitGroups } from ${file}; console.log(findLimitGroups());`;
      const walls = ['--bind', '/', '/', '--dev', '/dev', '--ro-bind', '/sys', '/sys'];
      const argv = [...walls, process.execPath, '--input-type=module', '-e', script];

      const { stdout, stderr } = spawnSync('bwrap', argv, { encoding: 'utf8' });

      expect([stdout, stderr]).toEqual(['undefined\n', '']);
    },
  );

  test('a fork bomb is refused more processes than there may be, and that is counted', async () => {
    await using box = made(groups);
    const bomb = 'b() { b | b & wait; }; b';
    const child = runIn(box.group, '/bin/sh', '-c', bomb);

    await until(() => expect(box.group.met().processRefusals).toBeGreaterThan(0));

    expect(box.group.pids().length).toBeLessThanOrEqual(limits.processes);
    for (const pid of box.group.pids()) tryKill(pid);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });

  test('who wants more memory than there may be is killed, and that is counted', async () => {
    await using box = made(groups);
    const hog = 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); echo "$x" | wc -c';
    const child = runIn(box.group, '/bin/sh', '-c', hog);

    await once(child, 'close');

    expect(box.group.met().memoryKills).toBeGreaterThan(0);
  });

  test('many who have little each are killed as one who has much', async () => {
    await using box = made(groups, { processes: 64 });
    const many =
      'for i in 1 2 3 4 5 6 7 8 9 10; do (x=$(head -c 10000000 /dev/zero | tr "\\0" x); sleep 9) & done; wait';
    const child = runIn(box.group, '/bin/sh', '-c', many);

    await until(() => expect(box.group.met().memoryKills).toBeGreaterThan(0));

    for (const pid of box.group.pids()) tryKill(pid);
    await once(child, 'close');
  });

  test('half a processor is half a processor', async () => {
    await using box = made(groups);
    const spin =
      'const end = Date.now() + 1000; while (Date.now() < end); const { user, system } = process.cpuUsage(); console.log(user + system)';
    const child = runIn(box.group, process.execPath, '-e', spin);
    let said = '';
    child.stdout?.on('data', (bytes) => {
      said += bytes;
    });

    await once(child, 'close');

    expect(Number(said)).toBeGreaterThan(100_000);
    expect(Number(said)).toBeLessThan(800_000);
  });

  test('remove() leaves nothing, may be repeated, and makes room for the same name', async () => {
    const group = groups.make('again', limits);

    group.remove();
    group.remove();

    expect(folders(group).filter((folder) => existsSync(folder))).toEqual([]);
    expect(group.met()).toEqual({ memoryKills: 0, processRefusals: 0 });
    groups.make('again', limits).remove();
  });

  test('a group that somebody is still in goes when the next one is made', async () => {
    const group = groups.make('busy', limits);
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    for (const path of group.procsPaths) writeFileSync(path, String(child.pid));

    group.remove();
    expect(group.pids()).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');

    groups.make('next', limits).remove();
    expect(folders(group).filter((folder) => existsSync(folder))).toEqual([]);
  });

  test('find() knows a group by its id, whoever made it, and no other', async () => {
    await using box = made(groups);
    const name = `aos-box-${spawnSync('true').pid}-found`;
    const left = folders(box.group).map((folder) => `${dirname(folder)}/${name}`);
    for (const folder of left) mkdirSync(folder, { recursive: true });

    const found = groups.find('found');

    expect(found?.procsPaths).toEqual(left.map((folder) => `${folder}/cgroup.procs`));
    expect(groups.find('test')?.procsPaths).toEqual(box.group.procsPaths);
    expect(['foun', 'ound', '.*'].map((id) => groups.find(id))).toEqual(Array(3).fill(undefined));
    found?.remove();
    expect(left.filter((folder) => existsSync(folder))).toEqual([]);
  });

  test('sweep() removes what a daemon left that has ended, and nothing that is in use', async () => {
    await using box = made(groups);
    const ended = spawnSync('true').pid;
    const named = (maker: number) =>
      folders(box.group).map((folder) => `${dirname(folder)}/aos-box-${maker}-swept`);
    const [left, living, inUse] = [named(ended), named(1), named(ended + 1)];
    for (const folder of [...left, ...living]) mkdirSync(folder, { recursive: true });
    for (const folder of inUse) mkdirSync(folder, { recursive: true });
    const child = spawn('/bin/sh', [
      '-c',
      'for list; do echo $$ > "$list/cgroup.procs"; done; echo in; exec sleep 60',
      'sh',
      ...inUse,
    ]);
    await once(child.stdout, 'data');

    groups.sweep();

    expect(left.filter((folder) => existsSync(folder))).toEqual([]);
    expect([...living, ...inUse].every((folder) => existsSync(folder))).toBe(true);
    expect(folders(box.group).every((folder) => existsSync(folder))).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
    for (const folder of [...living, ...inUse]) rmdirSync(folder);
  });
}
