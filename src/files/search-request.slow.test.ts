import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileAgentWorld, fileAgentWorld } from '../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import type { FileAnswer, FileRequest } from '../kernel/files/request.ts';

keepCompiled();

const dayMs = 86_400_000;
const signal = new AbortController().signal;

/** Texts of invoices, by how many days ago they were changed. */
function invoices(world: FileAgentWorld): void {
  for (const days of [1, 10, 100]) {
    const path = join(world.root, 'Documents', `invoice-${days}.txt`);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'Invoice from Ahmed\n');
    utimesSync(path, daysAgo(days), daysAgo(days));
  }
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * dayMs);
}

function namesOf({ result }: FileAnswer): readonly string[] {
  // What search_files answers.
  const { files } = result as { readonly files: readonly { readonly name: string }[] };
  return files.map(({ name }) => name);
}

const between = {
  modified_after: daysAgo(14).toISOString(),
  modified_before: daysAgo(7).toISOString(),
};

test.each<readonly [string, Partial<FileRequest>, 'walk' | 'index']>([
  ['by a walk', {}, 'walk'],
  ['by an index', {}, 'index'],
  ['among files of a type', { filters: { type: 'txt' } }, 'walk'],
  ['for a text as it stands', { query: 'invoice', options: { exact: true } }, 'walk'],
])('dates in the filters rule files out: %s', async (_, request, by) => {
  await using world = await fileAgentWorld();
  invoices(world);
  const run = { principal: 'owner', key: 'index', signal, approvedReason: async () => undefined };
  if (by === 'index') await world.agent.index('~', run);

  const found = await world.ask({
    ...{ action: 'search_files', query: 'the invoice from Ahmed', ...request },
    filters: { ...request.filters, ...between },
  });

  expect(found).toMatchObject({ status: 'success', result: { total: 1, searched_by: by } });
  expect(namesOf(found)).toEqual(['invoice-10.txt']);
});

test('likely dates rule the rest out while something fits', async () => {
  await using world = await fileAgentWorld();
  invoices(world);

  const found = await world.ask({
    ...{ action: 'search_files', query: 'invoice' },
    options: {
      likely_modified_after: between.modified_after,
      likely_modified_before: between.modified_before,
    },
  });

  expect(namesOf(found)).toEqual(['invoice-10.txt']);
  expect(found.result).not.toHaveProperty('outside_time');
});

test('where nothing fits the likely dates, the nearest outside come, and the answer says so', async () => {
  await using world = await fileAgentWorld();
  invoices(world);

  const found = await world.ask({
    ...{ action: 'search_files', query: 'invoice' },
    options: {
      likely_modified_after: daysAgo(60).toISOString(),
      likely_modified_before: daysAgo(30).toISOString(),
    },
  });

  expect(namesOf(found)).toEqual(['invoice-10.txt', 'invoice-1.txt', 'invoice-100.txt']);
  expect(found.result).toMatchObject({ outside_time: true });
  expect(found.action_performed).toMatch(
    /^Found nothing for "invoice" changed from .* to .*\. Outside of that time, the nearest first: 3 files$/,
  );
});

test('a date in a sentence that searches is a likely one, and the reading says so', async () => {
  await using world = await fileAgentWorld();
  invoices(world);

  const found = await world.agent.understand(
    { sentence: 'Find the invoice I got from Ahmed in the last 5 days' },
    { principal: 'owner', signal },
  );

  if (found.kind !== 'understood') throw new Error(found.kind);
  expect(found.request).toMatchObject({
    action: 'search_files',
    options: { likely_modified_after: expect.any(String) },
  });
  expect(found.request.filters?.modified_after).toBeUndefined();
  expect(found.reading).toMatch(/\(others only where nothing of then is found\)$/);
  expect(namesOf(await world.ask(found.request))).toEqual(['invoice-1.txt']);
});
