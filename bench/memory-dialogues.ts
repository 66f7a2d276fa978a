/**
 * Conversations with questions about them, of which is known which turns have the answer. The data
 * are LoCoMo's (CC BY-NC 4.0), given as an argument; nothing of them is in this project.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { IndexedMemory } from '../src/kernel/memory/index-port.ts';
import type { Instant } from '../src/kernel/ports.ts';

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

const dialogueSchema = z.object({
  qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()).optional() })),
  conversation: z.record(z.string(), z.unknown()),
});

export interface Question {
  readonly query: string;
  /** Ids of the memories that have the answer. */
  readonly evidence: readonly number[];
}

export interface Dialogue {
  readonly owner: string;
  readonly memories: readonly IndexedMemory[];
  readonly questions: readonly Question[];
  /** A day after it. */
  readonly endsAt: Instant;
}

export async function readDialogues(path: string): Promise<readonly Dialogue[]> {
  const parsed = z.array(dialogueSchema).parse(JSON.parse(await readFile(path, 'utf8')));
  let firstId = 1;
  return parsed.map((dialogue, index) => {
    const read = dialogueOf(dialogue, { owner: `agent:${index}`, firstId });
    firstId += read.memories.length;
    return read;
  });
}

function dialogueOf(
  { qa, conversation }: z.infer<typeof dialogueSchema>,
  { owner, firstId }: { readonly owner: string; readonly firstId: number },
): Dialogue {
  const turns = sessionsOf(conversation).flatMap(({ name, at, turns: said }) =>
    said.map((turn) => ({ turn, thread: name, at })),
  );
  const memories = turns.map(({ turn, thread, at }, index) => ({
    ...{ id: firstId + index, owner, scope: 'long-term' as const, tags: [], thread },
    ...{ key: turn.dia_id.replace(':', '/'), text: textOf(turn), validFrom: at },
  }));
  const ids = new Map(turns.map(({ turn }, index) => [turn.dia_id, firstId + index]));
  const questions = qa.flatMap(({ question, evidence = [] }) => {
    const known = evidence.flatMap(turnsIn).flatMap((turn) => ids.get(turn) ?? []);
    return known.length === 0 ? [] : [{ query: question, evidence: [...new Set(known)] }];
  });
  const endsAt = turns.reduce((end, { at }) => Math.max(end, at), 0) + 86_400_000;
  return { owner, memories, questions, endsAt };
}

function sessionsOf(conversation: z.infer<typeof dialogueSchema>['conversation']) {
  return Object.keys(conversation)
    .filter((name) => /^session_\d+$/.test(name))
    .map((name) => ({
      name,
      at: momentOf(z.string().parse(conversation[`${name}_date_time`])),
      turns: z.array(turnSchema).parse(conversation[name]),
    }))
    .sort((one, other) => one.at - other.at);
}

function textOf({ speaker, text, blip_caption: caption }: z.infer<typeof turnSchema>): string {
  return `${speaker}: ${text}${caption === undefined ? '' : ` (${caption})`}`;
}

/** Some are written as a list, and some with zeros in front: `D8:6; D9:017`. */
function turnsIn(evidence: string): readonly string[] {
  return [...evidence.matchAll(/D:?(\d+):0*(\d+)/g)].map(
    ([, session, turn]) => `D${session}:${turn}`,
  );
}

/** `1:56 pm on 8 May, 2023`, taken as UTC. */
function momentOf(written: string): Instant {
  const [, time = '', half = '', day = ''] = /^(\S+) (am|pm) on (.+)$/.exec(written) ?? [];
  const moment = Date.parse(`${day.replace(',', '')} ${time} ${half} UTC`);
  if (Number.isNaN(moment)) throw new Error(`"${written}" is no moment`);
  return moment;
}
