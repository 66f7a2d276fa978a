/** The programs of agents behind their walls: what each sees, gets, and may reach. */
import { join } from 'node:path';
import type { CommandSpec } from '../kernel/agent-spec.ts';
import { AosError } from '../kernel/errors.ts';
import { programEnvironment } from '../kernel/program-environment.ts';
import { quote } from '../kernel/quote.ts';
import type { BodyOrder } from '../kernel/sandbox.ts';
import { findAgent } from '../ledger/agents.ts';
import type { BodySandboxes } from '../runtime/command/deps.ts';
import { renewHandle } from '../security/renew-handle.ts';
import { type BodyView, bodyView, socketInside } from '../security/sandbox/body-view.ts';
import { homeInside } from '../security/sandbox/inner-script.ts';
import { workspaceInside } from '../security/sandbox/launcher-arguments.ts';
import { unavailable } from '../security/sandbox/unavailable.ts';
import type { Engines } from './compose.ts';
import type { Environment } from './config.ts';
import type { HomeSandboxes } from './home-sandboxes.ts';
import type { OpenHome } from './open-home.ts';
import { withoutSymlinks } from './without-symlinks.ts';

export interface HomeBodiesOptions {
  readonly open: OpenHome;
  readonly sandboxes: HomeSandboxes;
  readonly environment: Environment;
}

export interface HomeBodies extends BodySandboxes {
  /** Before anything is made of it; `by` is the principal that wants it. */
  check(spec: CommandSpec, by: string): Promise<void>;
}

export function openHomeBodies(engines: Engines, options: HomeBodiesOptions): HomeBodies {
  const { open, sandboxes } = options;
  const bodies = sandboxes.sandboxes;
  return {
    limits: sandboxes.programLimits,
    async check(spec, by) {
      if (spec.unsandboxed === true) return;
      await mustWork(sandboxes);
      // There is no workspace yet.
      const facts = { name: 'NAME', by, uid: undefined, cwd: spec.cwd ?? open.realHome };
      await viewOf(engines, options, spec, facts);
    },
    async orderFor(name, spec) {
      if (spec.unsandboxed === true) return undefined;
      await mustWork(sandboxes);
      return orderFor(engines, options, name, spec);
    },
    prepare: (order) => bodies.prepareBody(order),
    hold: (name, body) =>
      bodies.holdBody({
        ...{ id: body.id, pid: body.pid, limits: sandboxes.programLimits },
        workspace: workspaceOf(open, name),
        stop: (by) => body.stop(by),
      }),
    serve: (name, server) => sandboxes.serveBody(name, server),
  };
}

/** Said before anything is made: where no wall stands, only the owner can do without. */
async function mustWork({ sandboxes }: HomeSandboxes): Promise<void> {
  const state = await sandboxes.state();
  if (state.kind === 'works') return;
  throw unavailable({ ...state, fix: `${state.fix}, or as the owner: --unsandboxed` });
}

async function orderFor(
  engines: Engines,
  options: HomeBodiesOptions,
  name: string,
  spec: CommandSpec,
): Promise<Omit<BodyOrder, 'id'>> {
  const { open, sandboxes } = options;
  const by = (await findAgent(open.ledger.committed, name))?.spawned_by ?? 'nobody';
  const uid = await sandboxes.ownFolders(name);
  const cwd = spec.cwd ?? workspaceOf(open, name);
  const seen = await viewOf(engines, options, spec, { name, by, uid, cwd });
  return {
    view: seen.view,
    command: {
      argv: [seen.program, ...spec.argv.slice(1)],
      cwd: seen.cwd,
      env: await environmentOf(engines, options, { name, spec, seen }),
    },
    limits: sandboxes.programLimits,
  };
}

interface ViewFacts {
  readonly name: string;
  /** Who wanted it. */
  readonly by: string;
  readonly uid: number | undefined;
  readonly cwd: string;
}

async function viewOf(
  { disk, programs }: Engines,
  { open, environment }: HomeBodiesOptions,
  spec: CommandSpec,
  { name, by, uid, cwd }: ViewFacts,
): Promise<BodyView> {
  const place = async (path: string) => ({ path, real: await withoutSymlinks(disk, path) });
  const folder = await place(cwd);
  const env = { PATH: environment['PATH'] ?? usualPath };
  const parts = programs.partsOf({ argv: spec.argv, cwd: folder.real, env });
  const holdsGit = (await disk.stat(join(folder.real, '.git'))) !== undefined;
  const sees = await Promise.all((spec.sees ?? []).map(place));
  for (const { real } of sees) {
    if ((await disk.stat(real))?.kind !== 'folder') throw noFolder(real);
  }
  const ownersHome = environment['HOME'];
  return bodyView({
    ...{ name, uid, home: open.realHome, parts, sees, isOwners: by === 'owner' },
    ownersHome: ownersHome === undefined ? undefined : await withoutSymlinks(disk, ownersHome),
    cwd:
      spec.cwd === undefined
        ? undefined
        : { ...folder, writable: spec.writable === true, holdsGit },
  });
}

const usualPath = '/usr/local/bin:/usr/bin:/bin';

interface EnvironmentFacts {
  readonly name: string;
  readonly spec: CommandSpec;
  readonly seen: BodyView;
}

/** A handle of its own for every start: the one before is good no longer. */
async function environmentOf(
  engines: Engines,
  { open, environment }: HomeBodiesOptions,
  { name, spec, seen }: EnvironmentFacts,
): Promise<Record<string, string>> {
  const { handle } = await renewHandle({ ...engines, ...open }, { name, actor: 'system' });
  const machine = {
    ...environment,
    // What the machine has of these is not there inside.
    ...{ PATH: seen.searchPath, HOME: workspaceInside, TMPDIR: '/tmp' },
    ...{ USER: 'agent', LOGNAME: 'agent', SHELL: '/bin/sh' },
  };
  return programEnvironment({
    ...{ name, handle, goal: spec.prompt, own: spec.env, machine },
    ...{ home: homeInside, socket: socketInside },
  });
}

function workspaceOf({ realHome }: OpenHome, name: string): string {
  return join(realHome, 'agents', name, 'workspace');
}

function noFolder(path: string): AosError {
  return new AosError('sandbox.bad-folder', {
    message: `${quote(path)} cannot be seen by a program: there is no such folder`,
    fix: 'Name one that is there',
  });
}
