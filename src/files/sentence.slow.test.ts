import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileAgentWorld, fileAgentWorld } from '../../tests/support/file-agent-world.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import type { Understood } from './sentence.ts';

keepCompiled();

const { signal } = new AbortController();

async function worldWith(...names: readonly string[]): Promise<FileAgentWorld> {
  const world = await fileAgentWorld();
  for (const name of [...names, 'Archive/kept.txt', 'work/kept.txt']) {
    const path = join(world.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'text\n');
  }
  return world;
}

/** Said in the folder `work`. */
function say(world: FileAgentWorld, sentence: string): Promise<Understood> {
  const here = join(world.root, 'work');
  return world.agent.understand({ sentence, here }, { principal: 'owner', signal });
}

test('a file that is named without its folder is the one that lies here', async () => {
  await using world = await worldWith('work/clip.webm', 'Videos/clip.webm');

  expect(await say(world, 'move clip.webm to the Archive folder')).toMatchObject({
    kind: 'understood',
    request: { action: 'move_file', path: '~/work/clip.webm', destination: '~/Archive/' },
  });
});

test('a file that is not here is looked for in the usual folders', async () => {
  await using world = await worldWith('Videos/trips/clip.webm');

  expect(await say(world, 'move clip.webm to the Archive folder')).toMatchObject({
    kind: 'understood',
    reading: 'Move "clip.webm" at "~/Videos/trips/clip.webm" to Archive',
    request: { path: '~/Videos/trips/clip.webm', destination: '~/Archive/' },
  });
  expect(await say(world, 'copy clip.webm to clip-2.webm')).toMatchObject({
    request: {
      path: '~/Videos/trips/clip.webm',
      destination: '~/Videos/trips/clip-2.webm',
    },
  });
  expect(await say(world, 'delete CLIP.webm')).toMatchObject({
    request: { path: '~/Videos/trips/clip.webm' },
  });
});

test('of several files with the name it is asked which, and none is chosen', async () => {
  await using world = await worldWith('Videos/clip.webm', 'Desktop/clip.webm');

  expect(await say(world, 'delete clip.webm')).toMatchObject({
    kind: 'asks-back',
    question:
      'Which one do you mean: "~/Desktop/clip.webm", "~/Videos/clip.webm"? Please say its folder, too.',
  });
});

test('a caller who stands outside of the home is asked in which folder', async () => {
  await using world = await worldWith('a.txt');

  const run = { principal: 'owner', signal } as const;
  const ask = (sentence: string) => world.agent.understand({ sentence, here: '/' }, run);
  expect(await ask('delete all txt files')).toMatchObject({ kind: 'asks-back' });
  expect(await ask('delete all txt files in Archive')).toMatchObject({ kind: 'understood' });
  expect(await ask('find all txt files')).toMatchObject({ kind: 'understood' });
});

test('an article may be the first word of a name: then it is asked', async () => {
  await using world = await worldWith('Videos/my clip.webm', 'Videos/clip.webm', 'Desktop/b.txt');

  expect(await say(world, 'delete my clip.webm')).toMatchObject({
    kind: 'asks-back',
    question: 'There is a file "my clip.webm". Please put the name that you mean in quotes.',
  });
  expect(await say(world, 'delete my clip.webm in Videos')).toMatchObject({ kind: 'asks-back' });
  expect(await say(world, 'delete the clip.webm')).toMatchObject({
    kind: 'understood',
    request: { path: '~/Videos/clip.webm' },
  });
  expect(await say(world, 'delete "my clip.webm"')).toMatchObject({
    kind: 'understood',
    request: { path: '~/Videos/my clip.webm' },
  });
});

test('a folder that is misspelt is named once in the question', async () => {
  await using world = await worldWith('Downloads/a.txt');

  expect(await say(world, 'delete all txt files in Downlods')).toMatchObject({
    question: 'Do you mean "~/Downloads"? Please say the name of the folder "downlods" in full.',
  });
});

test('a pattern of folders takes nothing that lies deeper', async () => {
  await using world = await worldWith('logs/a/x.log', 'logs/a/b/y.log');

  const answer = await world.ask({ action: 'delete_file', path: '~/logs/*/*.log' });

  expect(answer).toMatchObject({
    result: { steps_total: 1, steps: [{ from: join(world.root, 'logs/a/x.log') }] },
  });
});

test('of several paths it is said which is not there', async () => {
  await using world = await worldWith();

  const paths = ['~/work/kept.txt', '~/work/gone.txt'];
  expect(await world.ask({ action: 'delete_file', paths })).toMatchObject({
    error: { message: expect.stringContaining('"~/work/gone.txt"') },
  });
});

test('a file that is nowhere is named as it was, and is not found', async () => {
  await using world = await worldWith();

  const found = await say(world, 'delete clip.webm');

  if (found.kind !== 'understood') throw new Error(found.kind);
  expect(await world.ask(found.request)).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('"txt files" are those that end so, whatever else is text', async () => {
  await using world = await worldWith(
    ...['work/a.txt', 'work/Makefile', 'work/LICENSE', 'work/id_rsa', 'work/notes.md'],
  );

  const found = await say(world, 'delete all txt files here except kept.txt');

  if (found.kind !== 'understood') throw new Error(found.kind);
  const answer = await world.ask(found.request);
  expect(answer).toMatchObject({
    status: 'confirmation_required',
    result: { steps: [{ do: 'trash', from: join(world.root, 'work/a.txt') }] },
  });
});

test('"files" are no folders, and "everything" has them too', async () => {
  await using world = await worldWith('work/sub/b.txt');

  const files = await say(world, 'delete all files here');
  const everything = await say(world, 'delete everything here');

  if (files.kind !== 'understood' || everything.kind !== 'understood') throw new Error('not read');
  expect(await world.ask(files.request)).toMatchObject({ result: { steps_total: 1 } });
  expect(await world.ask(everything.request)).toMatchObject({ result: { steps_total: 2 } });
});
