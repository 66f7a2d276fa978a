/**
 * The program of an agent behind the wall: it is started by the supervisor of programs, runs for as
 * long as it likes, and may outlive this process.
 *
 * D1. What a launcher reads is there before it is started and goes once it runs: the handle of
 *     the agent is in it. What a crash leaves of it goes with the next start of the daemon.
 * D2. Its group is named after its start, so that a later daemon finds it, and goes last: it tells
 *     for which limit the system has ended a process.
 */
import { rmSync } from 'node:fs';
import { bodyMark } from '../../engines/process/programs-family.ts';
import type {
  BodyOrder,
  HeldSandboxBody,
  RunningBody,
  SandboxedBody,
} from '../../kernel/sandbox.ts';
import { type BoxFiles, proxyEnvironment } from '../launch/box-files.ts';
import { bodyShell, insideWords, nodeCalled } from '../launch/inner-script.ts';
import type { LimitGroups } from '../watch/limit-groups.ts';
import type { BoxWatch } from '../watch/watch.ts';

export interface BodyDeps {
  readonly files: BoxFiles;
  readonly groups: LimitGroups | undefined;
}

// Of the launcher, in the order in which files are opened for it; the channel comes behind.
const descriptors = { args: 3, filter: 4, channel: 5 } as const;

/** Throws `sandbox.bad-folder` and `sandbox.not-started`. */
export function prepareBody(
  { files, groups }: BodyDeps,
  launcher: string,
  { id, view, command, limits }: BodyOrder,
): SandboxedBody {
  const host = files.hostFor(view);
  const env = { ...proxyEnvironment, ...command.env, [bodyMark]: id };
  const paths = files.forBody(id, view, { seccomp: descriptors.filter, listens: true, env });
  const removeFile = () => rmSync(paths.argumentsPath, { force: true });
  const group = orElse(() => groups?.make(id, limits), removeFile);
  const byProcess = group === undefined;
  const shell = bodyShell(command, {
    ...{ limits, byProcess, cpuSeconds: undefined },
    ...{ channel: descriptors.channel, listenerBy: nodeCalled(host.node, process.execPath) },
    seen: view.sees,
  });
  const inside = insideWords(shell.argv, { uid: view.uid, limits, byProcess });
  const words = [launcher, '--args', String(descriptors.args), '--', ...inside];
  return {
    argv: ['/usr/bin/env', '-i', ...words],
    opens: [paths.argumentsPath, paths.filterPath],
    joins: group?.procsPaths ?? [],
    group: group?.folder,
    channel: descriptors.channel,
    script: shell.script,
    uid: view.uid,
    [Symbol.dispose]: () => {
      removeFile();
      group?.remove();
    },
  };
}

function orElse<T>(make: () => T, undo: () => void): T {
  try {
    return make();
  } catch (failure) {
    undo();
    throw failure;
  }
}

export interface HoldDeps extends BodyDeps {
  readonly watch: BoxWatch;
}

export function holdBody({ files, groups, watch }: HoldDeps, body: RunningBody): HeldSandboxBody {
  const { id, startedAt, workspace, limits, pid } = body;
  // D1
  rmSync(files.bodyPath(id), { force: true });
  const group = groups?.find(id);
  const stop: RunningBody['stop'] = (by) => body.stop(by);
  const watched = [
    watch.watch({ id, startedAt, workspace, limits, group, pid, stop }),
    ...body.mail.map((folder, index) =>
      watch.watch({
        ...{ id: `${id}-${index}`, startedAt, workspace: folder, group, pid, stop },
        limits: { ...limits, ...body.mailLimits },
      }),
    ),
  ];
  return {
    ended: () => ((group?.met().memoryKills ?? 0) > 0 ? 'memory' : undefined),
    [Symbol.dispose]: () => {
      for (const each of watched) each[Symbol.dispose]();
      // D2
      group?.remove();
    },
  };
}
