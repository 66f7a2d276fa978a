/**
 * What the program of an agent sees of the host: what is its own in the home, the folder that
 * it works in, what its owner shows it, and the program itself with what runs it.
 *
 * V1. All is judged by the path that no symlink is on, and mounted from there.
 * V2. Nothing is seen that holds secrets, nor any part of the home but what is the agent's own.
 * V3. What the owner did not choose shows nothing. A program that another principal names by its
 *     path has to lie where it is seen anyway, and so has what a file names that the agent can
 *     write; what is found on the PATH by its name is the owner's.
 */
import { dirname } from 'node:path';
import { partsOfPath } from '../../kernel/capability/action-text.ts';
import { isAboveSecrets, sensitiveParts } from '../../kernel/capability/sensitive-path.ts';
import { AosError } from '../../kernel/errors.ts';
import { isIn } from '../../kernel/files/file-path.ts';
import type { ProgramPart } from '../../kernel/programs.ts';
import type { SandboxView, SeenLink, SeenPath } from '../../kernel/sandbox.ts';
import { quote } from '../../kernel/text/quote.ts';
import { homeInside } from '../launch/inner-script.ts';
import { workspaceInside } from '../launch/launcher-arguments.ts';

export interface BodyFacts {
  readonly name: string;
  readonly uid: number | undefined;
  /** Of Agent OS, without symlinks. */
  readonly home: string;
  /** The home folder of the user that the daemon runs as. */
  readonly ownersHome: string | undefined;
  /** Undefined: its workspace. */
  readonly cwd: WorkingFolder | undefined;
  readonly sees: readonly RealPlace[];
  /** The program, then what runs it. */
  readonly parts: readonly [ProgramPart, ...ProgramPart[]];
  /** V3: whether the owner has named the program. */
  readonly isOwners: boolean;
}

/** A path, and the same without symlinks. */
type RealPlace = Pick<ProgramPart, 'path' | 'real'>;

export interface WorkingFolder extends RealPlace {
  readonly writable: boolean;
  /** A repository in it, or the folder itself where that cannot be told. */
  readonly git: string | undefined;
}

export interface BodyView {
  readonly view: SandboxView;
  /** How the program is called inside, and in which folder. */
  readonly program: string;
  readonly cwd: string;
  readonly searchPath: string;
}

export const socketInside = `${homeInside}/run/aos.sock`;

/** Throws `sandbox.bad-folder`. */
export function bodyView(facts: BodyFacts): BodyView {
  const { name, uid, home, cwd, sees, parts } = facts;
  const workspace = `${home}/agents/${name}/workspace`;
  const builder = new BodyViewBuilder(facts, workspace);
  for (const place of sees) builder.showFolder(place, { writable: false });
  if (cwd !== undefined) showWorkingFolder(builder, cwd);
  let isOwners = facts.isOwners;
  for (const [index, part] of parts.entries()) {
    isOwners = builder.showProgram(part, { isFirst: index === 0, isOwners });
  }
  const own = ownPlaces(home, name);
  return {
    view: {
      ...{ principal: `agent:${name}`, uid, workspace, unixSockets: true },
      sees: [...own, ...builder.seen],
      links: [
        { path: `${homeInside}/agents/${name}/workspace`, target: workspaceInside },
        ...builder.links,
      ],
    },
    program: builder.inside(parts[0]),
    cwd: cwd === undefined ? workspaceInside : builder.inside({ path: cwd.real, real: cwd.real }),
    searchPath: [...usualPath, ...builder.programFolders].join(':'),
  };
}

const usualPath = ['/usr/local/bin', '/usr/bin', '/bin'];

function ownPlaces(home: string, name: string): readonly SeenPath[] {
  const [from, to] = [`${home}/agents/${name}`, `${homeInside}/agents/${name}`];
  return [
    // Its socket lies in a folder that stays when a later daemon makes another one.
    { from: `${home}/run/bodies/${name}`, to: dirname(socketInside), writable: false },
    { from: `${from}/outbox`, to: `${to}/outbox`, writable: true },
    { from: `${from}/inbox`, to: `${to}/inbox`, writable: true },
  ];
}

function showWorkingFolder(builder: BodyViewBuilder, cwd: WorkingFolder): void {
  const { real, writable, git } = cwd;
  if (writable && git !== undefined) {
    const why =
      git === real ? 'it is too large to look for a .git in it' : `it holds ${quote(git)}`;
    throw bad(
      real,
      `to be written to: ${why}, and hooks of git run as you`,
      'Without --writable, or in a folder beside it',
    );
  }
  builder.showFolder(cwd, { writable });
}

// Every sandbox has them.
const alwaysSeen = /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)(?:\/|$)/;
const tooWide =
  /^\/(?:(?:root|home|Users|etc|var|tmp|opt|srv|mnt|media|run|proc|sys|dev|boot|private|nix)?|(?:home|Users|var|mnt|media)\/[^/]+)$/;

interface ShownProgram {
  readonly isFirst: boolean;
  /** V3 */
  readonly isOwners: boolean;
}

class BodyViewBuilder {
  readonly seen: SeenPath[] = [];
  readonly links: SeenLink[] = [];
  readonly programFolders: string[] = [];
  readonly #facts: BodyFacts;
  readonly #workspace: string;

  constructor(facts: BodyFacts, workspace: string) {
    this.#facts = facts;
    this.#workspace = workspace;
  }

  /** How what is shown is called inside. */
  inside({ path, real }: RealPlace): string {
    if (!isIn(real, this.#workspace)) return path;
    return workspaceInside + real.slice(this.#workspace.length);
  }

  showFolder(place: RealPlace, { writable }: { readonly writable: boolean }): void {
    const { real } = place;
    // It is there, under another name.
    if (isIn(real, this.#workspace)) return;
    if (writable || !this.#covers(real)) {
      this.#check(real, 'Name another folder');
      const same = this.seen.findIndex(({ to }) => to === real);
      // To be written to, it is shown so and not twice.
      this.seen.splice(same < 0 ? this.seen.length : same, 1, { from: real, to: real, writable });
    }
    this.#link(place);
  }

  /** The folder of the program; of what runs it only the file. Whether what it names is the owner's. */
  showProgram(part: ProgramPart, { isFirst, isOwners }: ShownProgram): boolean {
    const { path, real } = part;
    const isChosen = isOwners && !this.#isTheirs(path);
    if (!this.#covers(real) && !isIn(real, this.#workspace)) {
      const place = isFirst ? folderOf(real) : real;
      const fix = 'Copy the program into a folder of its own, or as the owner: --see FOLDER';
      // V3
      if (!isChosen && !part.isSought) throw bad(place, 'to a program that names it', fix);
      this.#check(place, fix);
      this.seen.push({ from: place, to: place, writable: false });
    }
    if (!isIn(real, this.#workspace)) {
      this.#link(part);
      if (!alwaysSeen.test(path)) this.programFolders.push(dirname(path));
    }
    return (isChosen || part.isSought) && !this.#isTheirs(real);
  }

  #isTheirs(path: string): boolean {
    const isWritten = ({ to, writable }: SeenPath) => writable && isIn(path, to);
    return isIn(path, this.#workspace) || this.seen.some(isWritten);
  }

  #link({ path, real }: RealPlace): void {
    if (path === real || this.#covers(path) || this.links.some((link) => link.path === path))
      return;
    // A program that calls it by this path finds where it leads, as outside.
    this.links.push({ path, target: real });
  }

  #covers(path: string): boolean {
    return alwaysSeen.test(path) || this.seen.some(({ to }) => isIn(path, to));
  }

  // V2
  #check(path: string, fix: string): void {
    const { home, ownersHome } = this.#facts;
    if (tooWide.test(path) || path === ownersHome)
      throw bad(path, 'whole: too much lies in it', fix);
    if (isIn(path, home) || isIn(home, path)) {
      throw bad(path, 'to a program: the home of Agent OS lies there', fix);
    }
    const parts = partsOfPath(path);
    if (sensitiveParts(parts, { aosHome: partsOfPath(home) }).length > 0 || isAboveSecrets(parts)) {
      throw bad(path, 'to a program: it is where secrets are kept, or what runs by itself', fix);
    }
  }
}

/** With all that was installed together with it. */
function folderOf(program: string): string {
  const packages = program.indexOf('/node_modules/');
  return packages < 0 ? dirname(program) : `${program.slice(0, packages)}/node_modules`;
}

function bad(path: string, why: string, fix: string): AosError {
  return new AosError('sandbox.bad-folder', {
    message: `${quote(path)} is not shown ${why}`,
    fix,
  });
}
