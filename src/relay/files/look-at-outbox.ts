/**
 * One look at an outbox: which files are there, what is in them, hand them in, put them away.
 *
 * R1. A file leaves the outbox only after the relay answered for it. Dying in between is
 *     harmless: the relay knows the file when it comes again.
 * R2. Files are handed in one batch after another, so that a failure never lets a later
 *     message pass an earlier one. Only the reading is ahead, and is done again where it
 *     was in vain.
 */
import { type EventLoop, endOfTurn } from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import type { Acceptance } from '../envelope.ts';
import type { FilesDone, Relay } from '../relay.ts';
import type { Outbox } from './outbox.ts';
import { type AnsweredFile, type PutAwayDeps, putAway, putBackStray } from './put-away.ts';
import { type Batch, type BatchDeps, type BatchPlace, readBatch } from './read-batch.ts';

export interface LookDeps extends BatchDeps, PutAwayDeps {
  readonly eventLoop: EventLoop;
  readonly log: RelayLog;
  readonly accept: Relay['accept'];
  /** Tells the relay; it is not waited for. */
  readonly filesDone: (files: FilesDone) => void;
  readonly stopped: () => boolean;
  /** Whose the home is, by the uid. */
  readonly homeOwner: () => Promise<number>;
}

const crowdedMs = 1000;
/** When a file is handed in again for which there was no room. */
const laterMs = 500;

/** Works off what is known to be there. Throws when nothing can be done for now; see R2. */
export async function lookAtOutbox(deps: LookDeps, outbox: Outbox): Promise<void> {
  await using held = await deps.disk.holdFolder(outboxPath(deps.home, outbox.agent));
  if (outbox.strays.length > 0) await finishStrays(deps, outbox, held.path);
  outbox.look ??= {
    names: await namesToLookAt(deps, outbox, held.path),
    next: 0,
    isPendingCrowded: false,
  };
  const isTheirs = held.ownerUid !== (await deps.homeOwner());
  await workOff(deps, outbox, { look: outbox.look, folder: held.path, isTheirs });
}

async function finishStrays(deps: LookDeps, outbox: Outbox, folder: string): Promise<void> {
  const strays = outbox.strays;
  outbox.strays = [];
  const gone: string[] = [];
  for (const stray of strays) {
    const isBack = await putBackStray(deps, outbox, { stray, folder });
    if (isBack && stray.id !== undefined) gone.push(stray.id);
  }
  if (gone.length > 0) deps.filesDone({ archived: [], gone });
}

export function outboxPath(home: string, agent: string): string {
  return `${home}/agents/${agent}/outbox`;
}

async function namesToLookAt(
  { disk, clock }: LookDeps,
  outbox: Outbox,
  folder: string,
): Promise<readonly string[]> {
  if (!outbox.scanDue) return outbox.takeWanted();
  const listed = await disk.list(folder);
  // Besides `.pending`.
  outbox.lying.outbox = listed.length - 1;
  outbox.scanDue = false;
  const names = outbox.pick(listed, clock.monotonicMs());
  // As many files as are remembered wait already; some of them will be done by then.
  if (names.length === 0 && outbox.scanDue) outbox.notBeforeMs = clock.monotonicMs() + crowdedMs;
  return names;
}

async function workOff(deps: LookDeps, outbox: Outbox, place: BatchPlace): Promise<void> {
  const { look, folder } = place;
  const readNext = async (): Promise<Batch | undefined> =>
    deps.stopped() ? undefined : readBatch(deps, outbox, place);
  let answered: readonly AnsweredFile[] = [];
  const putAwayAnswered = async (): Promise<void> => {
    const done = answered;
    answered = [];
    const files = await putAway(deps, outbox, { answered: done, folder });
    if (files.archived.length + files.gone.length > 0) deps.filesDone(files);
  };
  try {
    let batch = await readNext();
    while (batch !== undefined) {
      // While the relay is busy with these, the next are read and those before go their way.
      const reading = batch.pauses ? undefined : readNext();
      const work = [handIn(deps, batch), reading, putAwayAnswered()] as const;
      const [answers, ahead, putting] = await Promise.allSettled(work);
      const next = ahead.status === 'fulfilled' ? ahead.value : undefined;
      if (answers.status === 'rejected') {
        goBack(outbox, place, { batch, answered: 0, next });
        throw answers.reason;
      }
      answered = noteAnswers(deps, outbox, batch, answers.value);
      if (answered.length < batch.found.length) {
        goBack(outbox, place, { batch, answered: answered.length, next });
        outbox.notBeforeMs = deps.clock.monotonicMs() + laterMs;
        return;
      }
      if (ahead.status === 'rejected') throw ahead.reason;
      if (putting.status === 'rejected') {
        if (next !== undefined) goBack(outbox, place, { batch: next, answered: 0 });
        throw putting.reason;
      }
      batch = next;
    }
    if (look.next >= look.names.length) outbox.look = undefined;
  } finally {
    // What goes to the recipients just now comes first: callers wait for that.
    if (answered.length > 0) await endOfTurn(deps.eventLoop);
    await putAwayAnswered();
  }
}

interface Undone {
  readonly batch: Batch;
  /** So many of the batch are done. */
  readonly answered: number;
  /** What was read ahead. */
  readonly next?: Batch | undefined;
}

// R2: the look goes on with the first that was not answered for.
function goBack(outbox: Outbox, { look }: BatchPlace, { batch, answered, next }: Undone): void {
  const first = batch.found[answered]?.name;
  look.next = first === undefined ? batch.start : look.names.indexOf(first, batch.start);
  outbox.credit += batch.found.length - answered + (next?.found.length ?? 0);
}

async function handIn(deps: LookDeps, { found }: Batch): Promise<readonly Acceptance[]> {
  return found.length === 0 ? [] : deps.accept(found.map(({ incoming }) => incoming));
}

/** Those of the batch, from the first on, for which the relay has answered. */
function noteAnswers(
  deps: LookDeps,
  outbox: Outbox,
  { found }: Batch,
  answers: readonly Acceptance[],
): readonly AnsweredFile[] {
  const answered: AnsweredFile[] = [];
  for (const [index, { name, stands, bytes }] of found.entries()) {
    const answer = answers[index];
    if (answer === undefined || (answer.kind === 'refused' && answer.later === true)) break;
    noteStamp(deps, outbox, name);
    answered.push({ name, stands, answer, bytes });
  }
  return answered;
}

const backwardsMs = 1000;

// Order is that of discovery, whatever the names say; a person may want to know of the clock.
function noteStamp({ log }: LookDeps, outbox: Outbox, name: string): void {
  const digits = /^\d{19}(?=-)/.exec(name)?.[0];
  if (digits === undefined) return;
  const stampMs = Number(digits) / 1e6;
  if (stampMs < outbox.lastStampMs - backwardsMs) {
    const backMs = Math.round(outbox.lastStampMs - stampMs);
    log.warn(
      { agent: outbox.agent, file: name, back_ms: backMs },
      'a message is named with an earlier time than the one before: a clock went backwards',
    );
  }
  outbox.lastStampMs = stampMs;
}
