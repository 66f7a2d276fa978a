/** How much of what has the answer is among what is found. */
import { join } from 'node:path';
import { realClock } from '../src/engines/clock.ts';
import { openMemoryIndex } from '../src/engines/memory/memory-index.ts';
import { openUseLite } from '../src/engines/memory/use-lite.ts';
import { openTimeZone } from '../src/engines/time-zone.ts';
import type { Embedder, IndexQuery, MemoryIndex } from '../src/kernel/memory/index-port.ts';
import { timeSaid } from '../src/memory/search.ts';
import { type Dialogue, type Question, readDialogues } from './memory-dialogues.ts';
import { workplace } from './workplace.ts';

export interface Recall {
  /** The share of the turns with the answer that are among the first ten. */
  readonly turn10: number;
  /** Of the questions, those of which all the sessions are among the first five. */
  readonly session5all: number;
  /** Those of which one is. */
  readonly session5any: number;
}

const never = new AbortController().signal;
const zone = openTimeZone('UTC');

/** Without vectors where no embedder is named. */
export async function measureRecall(
  data: string,
  { embedder: name }: { readonly embedder?: 'use-lite' | undefined } = {},
): Promise<Recall> {
  const { folder, disposables } = await workplace();
  await using _disposed = disposables;
  const embedder = name === undefined ? undefined : disposables.use(await openUseLite());
  const index = disposables.use(
    openMemoryIndex({ file: join(folder, 'search.db'), clock: realClock }),
  );
  const dialogues = await readDialogues(data);
  for (const dialogue of dialogues) await remember(index, dialogue);
  if (embedder !== undefined) await embedAll(index, embedder);
  const marks: Recall[] = [];
  for (const dialogue of dialogues) {
    for (const question of dialogue.questions) {
      marks.push(await mark(index, { dialogue, question, embedder }));
    }
  }
  return {
    turn10: mean(marks.map(({ turn10 }) => turn10)),
    session5all: mean(marks.map(({ session5all }) => session5all)),
    session5any: mean(marks.map(({ session5any }) => session5any)),
  };
}

async function remember(index: MemoryIndex, { memories }: Dialogue): Promise<void> {
  const seq = memories.at(-1)?.id ?? 0;
  await index.apply(
    memories.map((memory) => ({ id: memory.id, memory })),
    { seq, event: 0, eventHash: '' },
  );
}

async function embedAll(index: MemoryIndex, embedder: Embedder): Promise<void> {
  for (;;) {
    const batch = await index.withoutVector(embedder, 64);
    if (batch.length === 0) return;
    const vectors = await embedder.embed(
      batch.map(({ text }) => text),
      never,
    );
    await index.putVectors(
      embedder,
      batch.flatMap(({ id }, place) => {
        const vector = vectors[place];
        return vector === undefined ? [] : [{ id, vector }];
      }),
    );
  }
}

interface Asking {
  readonly dialogue: Dialogue;
  readonly question: Question;
  readonly embedder: Embedder | undefined;
}

async function mark(index: MemoryIndex, asking: Asking): Promise<Recall> {
  const { dialogue, question } = asking;
  const threads = new Map(dialogue.memories.map(({ id, thread }) => [id, thread]));
  const query = await queryOf(asking);
  const turns = await found(index, { ...query, by: 'memory', limit: 10 });
  const sessions = (await found(index, { ...query, by: 'thread', limit: 5 })).map((id) =>
    threads.get(id),
  );
  const wanted = [...new Set(question.evidence.map((id) => threads.get(id)))];
  const isFound = wanted.map((thread) => sessions.includes(thread));
  return {
    turn10: mean(question.evidence.map((id) => (turns.includes(id) ? 1 : 0))),
    session5all: isFound.every(Boolean) ? 1 : 0,
    session5any: isFound.some(Boolean) ? 1 : 0,
  };
}

async function queryOf({
  dialogue,
  question: { query },
  embedder,
}: Asking): Promise<Omit<IndexQuery, 'by' | 'limit'>> {
  const now = dialogue.endsAt;
  const [vector] = (await embedder?.embed([query], never)) ?? [];
  return {
    ...{ query, vector, tags: [], now, likelier: timeSaid(query, { now, zone }) },
    within: [{ owner: dialogue.owner, scope: 'long-term', chains: 'all' }],
  };
}

async function found(index: MemoryIndex, query: IndexQuery): Promise<readonly number[]> {
  return (await index.search(query, never)).hits.map(({ id }) => id);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
