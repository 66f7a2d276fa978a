/**
 * Journals that were written by an earlier version are read by this one. They are made anew
 * only for a new version of the steps, which keeps the folder of the one before:
 * AOS_TEST_WRITE_JOURNALS=1 npx vitest run --project unit tests/golden-journals.test.ts
 */
import { describe, expect, test } from 'vitest';
import { stepVersion } from '../src/kernel/journal/step.ts';
import {
  expectedOf,
  fieldsOf,
  type GoldenJournal,
  playScene,
  readGolden,
  readRows,
  resumeScene,
  writeGolden,
} from './support/golden-journals.ts';
import { scenes } from './support/golden-scenes.ts';

if (process.env['AOS_TEST_WRITE_JOURNALS'] === '1') {
  for (const scene of scenes) writeGolden(await playScene(scene));
}

const journals = readGolden(1);

describe.each(journals)('the golden journal "$name"', (journal) => {
  test('is read, folds to the same state, and tells the model the same', async () => {
    const steps = await readRows(journal.rows);

    const { state, messages_digest } = journal.expected;
    expect(expectedOf(steps)).toEqual({ state, messages_digest });
  });

  test('cut behind any of its steps goes on to the same end, with no effect twice', async () => {
    const scene = sceneOf(journal);
    const { end, result, effects } = journal.expected;

    for (let count = 0; count < journal.rows.length; count++) {
      const resumed = await resumeScene(scene, journal, count);

      expect(new Set(resumed.effects).size, `cut behind ${count}`).toBe(resumed.effects.length);
      expect({ ...resumed, result: sameOf(resumed.result) }, `cut behind ${count}`).toEqual({
        end,
        effects,
        result: sameOf(result),
      });
    }
  });
});

test('while the version of the steps is the same, they are written with the same fields', async () => {
  const written = new Set<string>();
  for (const scene of scenes) {
    for (const field of fieldsOf((await playScene(scene)).rows)) written.add(field);
  }

  expect([...written].sort()).toEqual(goldenFields(readGolden(stepVersion)));
});

test('a field under another name is found: by the state, by the messages, or by the fields', async () => {
  for (const journal of journals) {
    for (const [place, { body }] of journal.rows.entries()) {
      for (const field of Object.keys(body)) {
        const rows = journal.rows.with(place, {
          ...rowAt(journal, place),
          body: renamed(body, field),
        });

        const fields = goldenFields([{ ...journal, rows }]);

        expect(fields, field).not.toEqual(goldenFields([journal]));
      }
    }
  }
});

test.each([
  ['answered', 'parts'],
  ['asked', 'hold'],
  ['results', 'results'],
  ['ended', 'state'],
  ['begun', 'goal'],
  ['answered', 'usage'],
])('a journal in which %s has no %s any more does not pass as the same', async (kind, field) => {
  const journal = journals.find(({ name }) => name === 'tools');
  if (journal === undefined) throw new Error('there is no such journal');
  // Of `asked` the hold is told by the state only while nothing has come of it.
  const place = journal.rows.findLastIndex((row) => row.kind === kind);
  const upTo = journal.rows.slice(0, place + 1);
  const before = expectedOf(await readRows(upTo));
  const row = upTo[place] ?? rowAt(journal, place);

  const changed = upTo.with(place, { ...row, body: renamed(row.body, field) });
  const outcome = readRows(changed).then(expectedOf, String);

  await expect(outcome.catch(String)).resolves.not.toEqual(before);
});

function sceneOf({ name }: GoldenJournal) {
  const scene = scenes.find((one) => one.name === name);
  if (scene === undefined) throw new Error(`there is no scene ${name}`);
  return scene;
}

/** Of an error the code: its words name the operation, which is another one each time. */
function sameOf(result: unknown): unknown {
  // The column `result`, which holds nothing else.
  const { error, ...rest } = result as { readonly error?: { readonly code: string } };
  return error === undefined ? rest : error.code;
}

function goldenFields(all: readonly GoldenJournal[]): string[] {
  return [...new Set(all.flatMap(({ rows }) => [...fieldsOf(rows)]))].sort();
}

function rowAt({ rows }: GoldenJournal, place: number) {
  const row = rows[place];
  if (row === undefined) throw new Error(`there is no row ${place}`);
  return row;
}

function renamed(body: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> {
  const { [field]: value, ...rest } = body;
  return { ...rest, [`${field}_renamed`]: value };
}
