/** The programs of agents behind their walls: what each sees, gets, and may reach. */
import { join } from 'node:path';
import type { CommandSpec } from '../../kernel/agent/agent.ts';
import { programEnvironment } from '../../kernel/agent/program.ts';
import { partsOfPath, pathAction } from '../../kernel/capability/action-text.ts';
import { endsAtSecret } from '../../kernel/capability/sensitive-path.ts';
import { AosError } from '../../kernel/errors.ts';
import { madeAt } from '../../kernel/new-id.ts';
import type { BodyOrder, SandboxView } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent, uidOf } from '../../ledger/agents.ts';
import type { BodySandboxes } from '../../runtime/command/deps.ts';
import type { WantedProgram } from '../../runtime/runtime.ts';
import { homeInside } from '../../sandbox/launch/inner-script.ts';
import { workspaceInside } from '../../sandbox/launch/launcher-arguments.ts';
import { type BodyView, bodyView, socketInside } from '../../sandbox/view/body-view.ts';
import { unavailable } from '../../sandbox/view/unavailable.ts';
import { workspaceOf } from '../../security/agent-folders.ts';
import { checkHeld } from '../../security/permit.ts';
import { renewHandle } from '../../security/register.ts';
import type { Environment } from '../config/config.ts';
import type { Engines } from './compose.ts';
import { findBelow } from './find-below.ts';
import { withoutSymlinks } from './home-folder.ts';
import type { OpenHome } from './open-home.ts';
import type { HomeSandboxes } from './sandboxes.ts';

export interface HomeBodiesOptions {
  readonly open: OpenHome;
  readonly sandboxes: HomeSandboxes;
  readonly environment: Environment;
}

export interface HomeBodies extends BodySandboxes {
  /** Before anything is made of it. With where its paths lead now. */
  check(spec: CommandSpec, wanted: WantedProgram): Promise<CommandSpec>;
}

export function openHomeBodies(engines: Engines, options: HomeBodiesOptions): HomeBodies {
  const { open, sandboxes } = options;
  const bodies = sandboxes.sandboxes;
  return {
    limits: sandboxes.programLimits,
    async check(spec, { name, by }) {
      if (spec.unsandboxed === true) return spec;
      await mustWork(sandboxes);
      const none = { name: '', handle: '', socket: '', home: homeInside, machine: {} };
      programEnvironment({ ...none, own: spec.env });
      // There is no workspace yet.
      const facts = { name: 'NAME', by, uid: undefined, cwd: spec.cwd ?? open.realHome };
      const { seen, leads } = await viewOf(engines, options, spec, facts);
      bodies.checkView(seen.view);
      if (engines.owners.isRoot) {
        const uid = (await uidOf(open.ledger.committed, name)) ?? undefined;
        await checkOpen(engines, { ...spec, leads }, uid);
      }
      if (spec.cwd !== undefined && by !== 'owner') await refuseSecrets(engines, leads[spec.cwd]);
      return { ...spec, leads };
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
        startedAt: madeAt(body.id),
        workspace: workspaceOf(open.realHome, name),
        mail: ['outbox', 'inbox'].map((folder) => join(open.realHome, 'agents', name, folder)),
        mailLimits: sandboxes.mailLimits,
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
  const cwd = spec.cwd ?? workspaceOf(open.realHome, name);
  const { seen, leads } = await viewOf(engines, options, spec, { name, by, uid, cwd });
  checkLeads(spec, leads);
  if (engines.owners.isRoot) await checkOpen(engines, spec, uid);
  // The folder that an agent had another work in may have been taken from it since.
  const works = spec.cwd !== undefined && by.startsWith('agent:');
  if (works) {
    const folder = leads[cwd] ?? cwd;
    await checkWorkingFolder(open, by, folder);
    await refuseSecrets(engines, folder);
  }
  return {
    view: await withIdentities(engines, seen.view),
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
): Promise<{ readonly seen: BodyView; readonly leads: Leads }> {
  const place = async (path: string) => ({ path, real: await withoutSymlinks(disk, path) });
  const folder = await place(cwd);
  const env = { PATH: environment['PATH'] ?? usualPath };
  const parts = programs.partsOf({ argv: spec.argv, cwd: folder.real, env });
  const isWanted = (_: string, name: string) => name === '.git';
  const git = spec.writable === true ? await findBelow(disk, folder.real, { isWanted }) : undefined;
  const sees = await Promise.all((spec.sees ?? []).map(place));
  for (const { real } of sees) {
    if ((await disk.stat(real))?.kind !== 'folder') throw noFolder(real);
  }
  const ownersHome = environment['HOME'];
  const named = [...sees, ...(spec.cwd === undefined ? [] : [folder])];
  // What is sought on the PATH is the owner's to change.
  const found = parts.filter(({ isSought }) => !isSought);
  const leads = Object.fromEntries([...named, ...found].map(({ path, real }) => [path, real]));
  const seen = bodyView({
    ...{ name, uid, home: open.realHome, parts, sees, isOwners: by === 'owner' },
    ownersHome: ownersHome === undefined ? undefined : await withoutSymlinks(disk, ownersHome),
    cwd: spec.cwd === undefined ? undefined : { ...folder, writable: spec.writable === true, git },
  });
  return { seen, leads };
}

type Leads = Readonly<Record<string, string>>;

/**
 * A user that can write on the way to a folder could put a symlink there after it was looked at,
 * and be shown what it leads to at the next start.
 */
function checkLeads({ leads = {} }: CommandSpec, now: Leads): void {
  for (const [path, real] of Object.entries(now)) {
    if ((leads[path] ?? path) === real) continue;
    throw new AosError('sandbox.bad-folder', {
      message: `${quote(path)} leads elsewhere than when the agent was spawned`,
      fix: 'Look who changed it; then spawn the agent anew',
    });
  }
}

/**
 * A grant for a folder does not give the keys that lie in it, so a program that sees the whole
 * folder would see more than the principal that has it started.
 */
async function refuseSecrets({ disk }: Engines, folder = '/'): Promise<void> {
  const found = await findBelow(disk, folder, {
    isWanted: (path) => endsAtSecret(partsOfPath(path)),
    // Code of others, with keys that only tests use.
    isSkipped: (name) => name === 'node_modules',
  });
  if (found === undefined) return;
  const why =
    found === folder ? 'it is too large to look for secrets in it' : `it holds ${quote(found)}`;
  throw new AosError('sandbox.bad-folder', {
    message: `${quote(folder)} is not shown to the program of another agent: ${why}`,
    fix: 'Name a folder below it, or have the owner spawn the agent',
  });
}

// Not by its group: the agent is in none.
const enteredByOthers = 0o001;
const writtenByOthers = 0o002;

/** Under root the agent is a user of its own, to whom folders of others may be closed. */
async function checkOpen(
  { disk }: Engines,
  { cwd, sees = [], leads, writable }: CommandSpec,
  uid: number | undefined,
): Promise<void> {
  for (const path of cwd === undefined ? sees : [cwd, ...sees]) {
    const folder = leads?.[path] ?? path;
    const entry = await disk.stat(folder);
    if (entry === undefined || entry.ownerUid === uid) continue;
    const isWritten = path === cwd && writable === true;
    if (isWritten && (entry.mode & writtenByOthers) === 0) throw closedTo('write to', folder);
    if ((entry.mode & enteredByOthers) === 0) throw closedTo('enter', folder);
  }
}

function closedTo(what: 'write to' | 'enter', folder: string): AosError {
  const [right, without] = what === 'enter' ? ['rx', ''] : ['rwx', ', or leave --writable away'];
  return new AosError('sandbox.bad-folder', {
    message: `The agent could not ${what} ${quote(folder)}: under root every agent is a user of its own, and the folder is closed to others`,
    fix: `Run the daemon as the user whose folder it is, or open it to all (chmod o+${right} ${quote(folder)})${without}`,
  });
}

/** So that what is mounted can be held against what was looked at. */
async function withIdentities({ disk }: Engines, view: SandboxView): Promise<SandboxView> {
  const sees = await Promise.all(
    view.sees.map(async (seen) => {
      const entry = await disk.stat(seen.from);
      if (entry === undefined || entry.kind === 'symlink') throw noFolder(seen.from);
      return { ...seen, identity: `${entry.device}:${entry.inode}` };
    }),
  );
  return { ...view, sees };
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

function noFolder(path: string): AosError {
  return new AosError('sandbox.bad-folder', {
    message: `${quote(path)} cannot be seen by a program: there is no such folder`,
    fix: 'Name one that is there',
  });
}

// Whether an agent may have another one work in a folder.

/** Throws `capability.denied`. The path is the one that no symlink is on. */
export async function checkWorkingFolder(
  { grants, ledger, realHome }: OpenHome,
  principal: string,
  path: string,
): Promise<void> {
  const actions = (['read', 'write'] as const).map((action) => ({
    ...pathAction(realHome, partsOfPath(path), action),
    subtree: true,
  }));
  await checkHeld(grants, ledger.committed, { principal, actions });
}
