/**
 * Sandboxes by bubblewrap.
 *
 * S1. Nothing is run before the wall was tried (self-test), and nothing when it did not hold.
 * S2. There is no other way to run anything: where the wall does not hold, all is refused.
 * S3. Before the first sandbox is made, what an earlier daemon has left of its own is ended.
 */
import { join } from 'node:path';
import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import type {
  BodyOrder,
  HeldSandboxBody,
  RunningBody,
  SandboxedBody,
  Sandboxes,
  SandboxLimits,
  SandboxResult,
  SandboxRun,
  SandboxState,
  SandboxView,
} from '../kernel/sandbox.ts';
import { oneLine } from '../kernel/text/quote.ts';
import { early } from '../kernel/turns.ts';
import { holdBody, prepareBody } from './box/body.ts';
import { Box } from './box/box.ts';
import { Fifos } from './box/fifos.ts';
import { endLeftovers } from './box/leftovers.ts';
import { ReadyPool } from './box/ready-pool.ts';
import { runInBox } from './box/run-in-box.ts';
import { BoxFiles, keyOf, type ToolBox } from './launch/box-files.ts';
import { examine } from './launch/examine.ts';
import { type LaunchParts, launchByDaemon, launchByShell } from './launch/launch.ts';
import { launcherArguments } from './launch/launcher-arguments.ts';
import { makeGroup, Starters } from './launch/starters.ts';
import { unavailable } from './view/unavailable.ts';
import { findLimitGroups, type LimitGroups } from './watch/limit-groups.ts';
import { BoxWatch } from './watch/watch.ts';

export interface SandboxOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: { error(facts: object, words: string): void };
  /** Ours alone: what stands there goes. */
  readonly folder: string;
  /** How many wait for a call, of all agents together. */
  readonly ready?: number;
  /** `off` does without control groups where there are some. */
  readonly groups?: 'auto' | 'off';
  /** Where the launcher is looked for. Not PATH: what guards agents is not where a profile says. */
  readonly places?: readonly string[];
}

const usualPlaces = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];
const idleMs = 60_000;
const againMs = 5000;
const readyAtMost = 8;
const pipesFolder = 'pipes';

/** What sandboxes are made with. */
interface Workshop {
  readonly fifos: Fifos;
  readonly groups: LimitGroups | undefined;
  readonly starters: Starters;
}

export class BubblewrapSandboxes implements Sandboxes {
  readonly #options: SandboxOptions;
  readonly #pool: ReadyPool<Box>;
  readonly #watch: BoxWatch;
  #files: BoxFiles | undefined;
  #made: Workshop | undefined;
  #groups: { readonly found: LimitGroups | undefined } | undefined;
  #state: Promise<SandboxState> | undefined;
  /** S3 */
  #cleared: Promise<void> | undefined;
  #examinedAtMs = 0;

  constructor(options: SandboxOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#watch = new BoxWatch({ clock, log });
    this.#pool = new ReadyPool({
      ...{ clock, idleMs, most: options.ready ?? readyAtMost },
      onTrouble: (failure) => log.error({ err: failure }, 'a sandbox could not be made ready'),
    });
  }

  async state(): Promise<SandboxState> {
    const known = await (this.#state ?? this.examine());
    const isOld = this.#options.clock.monotonicMs() - this.#examinedAtMs > againMs;
    // It may have been mended meanwhile, as the words of the refusal said.
    return known.kind === 'unavailable' && isOld ? this.examine() : known;
  }

  examine(): Promise<SandboxState> {
    const { clock, folder, places = usualPlaces } = this.#options;
    const groups = () => this.#findGroups();
    const run = async (launcher: string, order: SandboxRun) =>
      this.#runIn(await this.#make(launcher, { ...order, listens: false }), order);
    this.#cleared ??= this.#clear();
    this.#state = this.#cleared.then(() => examine({ clock, folder, places, groups, run }));
    this.#examinedAtMs = clock.monotonicMs();
    return this.#state;
  }

  async run(order: SandboxRun): Promise<SandboxResult> {
    // S1
    const state = await this.state();
    // S2
    if (state.kind === 'unavailable') throw unavailable(state);
    const { limits, signal } = order;
    const listens = order.network !== undefined;
    const isFull = await this.#watch.isOver(order.view.workspace, limits);
    const view = isFull ? { ...order.view, isFull } : order.view;
    const key = keyOf({ view, listens, limits });
    const make = () => this.#make(state.path, { view, listens, limits });
    signal.throwIfAborted();
    try {
      return await this.#runIn(this.#pool.take(key) ?? (await make()), { ...order, view });
    } finally {
      // A caller that was ended in the middle does not come back soon.
      if (!signal.aborted && !isFull) this.#pool.restock(key, make);
    }
  }

  checkView(view: SandboxView): void {
    const host = this.#bodies().files.hostFor(view);
    launcherArguments(host, view, { seccomp: 0, listens: true, env: {} });
  }

  async prepareBody(order: BodyOrder): Promise<SandboxedBody> {
    const state = await this.state();
    // S2
    if (state.kind === 'unavailable') throw unavailable(state);
    await this.#refuseFull(order);
    return prepareBody(this.#bodies(), state.path, order);
  }

  holdBody(body: RunningBody): HeldSandboxBody {
    return holdBody({ ...this.#bodies(), watch: this.#watch }, body);
  }

  discard(principal: string): Promise<void> {
    return this.#pool.discard(`${principal}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    await this.#made?.starters[Symbol.asyncDispose]();
    await this.#watch[Symbol.asyncDispose]();
    this.#made?.fifos[Symbol.dispose]();
  }

  async #runIn(box: Box, order: SandboxRun): Promise<SandboxResult> {
    const { clock, random } = this.#options;
    await untilReady(clock, box, order.signal);
    const id = newId(clock.now(), random);
    return runInBox({ clock, watch: this.#watch, id }, box, order);
  }

  async #refuseFull({ view: { workspace, principal }, limits }: BodyOrder): Promise<void> {
    const held = await this.#watch.measureFolder(workspace);
    if (held === undefined) return;
    if (held.bytes <= limits.workspaceBytes && held.files <= limits.workspaceFiles) return;
    throw new AosError('sandbox.full', {
      message: `The workspace of ${principal.replace(/^agent:/, '')} holds more than it may`,
      fix: 'Remove something there: aos tool call shell.execute --as NAME, with "rm"',
      details: held,
    });
  }

  async #make(
    launcher: string,
    { view, limits, listens }: Omit<ToolBox, 'byProcess'>,
  ): Promise<Box> {
    const { files, groups } = this.#bodies();
    const byProcess = groups === undefined;
    const parts = { launcher, ...files.forTool(launcher, { view, limits, listens, byProcess }) };
    try {
      return listens ? await this.#startListening(parts, limits) : await this.#start(parts, limits);
    } catch (failure) {
      throw notStarted(failure);
    }
  }

  async #start(parts: LaunchParts, limits: SandboxLimits): Promise<Box> {
    const { starters, fifos } = this.#workshop();
    const { clock } = this.#options;
    const starter = await starters.take(limits);
    const giveBack = () => starters.giveBack(starter, limits);
    try {
      return await Box.start({ clock, fifos }, (pipes) =>
        launchByShell(starter, parts, pipes, giveBack),
      );
    } catch (failure) {
      giveBack();
      throw failure;
    }
  }

  async #startListening(parts: LaunchParts, limits: SandboxLimits): Promise<Box> {
    const { fifos, groups } = this.#workshop();
    const { clock } = this.#options;
    const group = makeGroup(this.#options, groups, limits);
    try {
      return await Box.start({ clock, fifos }, (pipes) => launchByDaemon(parts, pipes, group));
    } catch (failure) {
      group?.remove();
      throw failure;
    }
  }

  async #clear(): Promise<void> {
    const { clock, log, folder } = this.#options;
    const isClear = await endLeftovers(clock, join(folder, pipesFolder));
    if (!isClear) log.error({ folder }, 'what an earlier daemon left in sandboxes does not end');
  }

  #workshop(): Workshop {
    this.#made ??= this.#makeWorkshop();
    return this.#made;
  }

  #makeWorkshop(): Workshop {
    const { clock, random, log, folder } = this.#options;
    const fifos = new Fifos(join(folder, pipesFolder));
    const groups = this.#findGroups();
    return { fifos, groups, starters: new Starters({ clock, random, log, fifos, groups }) };
  }

  #bodies(): { readonly files: BoxFiles; readonly groups: LimitGroups | undefined } {
    this.#files ??= new BoxFiles(this.#options.folder);
    return { files: this.#files, groups: this.#findGroups() };
  }

  #findGroups(): LimitGroups | undefined {
    const isOff = this.#options.groups === 'off';
    if (this.#groups === undefined) {
      this.#groups = { found: isOff ? undefined : findLimitGroups() };
      this.#groups.found?.sweep();
    }
    return this.#groups.found;
  }
}

const readyMs = 10_000;

/** Throws the signal's reason, or `sandbox.not-started`; nothing is left of it then. */
async function untilReady(clock: Clock, box: Box, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  let isLate = false;
  const onAbort = (): void => void box.kill();
  clock.sleep(readyMs, over.signal).then(
    () => {
      isLate = true;
      onAbort();
    },
    () => {},
  );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await box.ready;
  } catch (failure) {
    await box.kill();
    signal.throwIfAborted();
    throw notStarted(isLate ? new Error(`it is not there after ${readyMs / 1000} s`) : failure);
  } finally {
    over.abort(early);
    signal.removeEventListener('abort', onAbort);
  }
}

function notStarted(cause: unknown): AosError {
  const words = cause instanceof Error ? oneLine(cause.message) : 'the system refused it';
  return new AosError('sandbox.not-started', {
    message: `A sandbox could not be made: ${words}`,
    fix: 'aos doctor',
    cause,
  });
}
