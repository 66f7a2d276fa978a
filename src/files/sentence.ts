/** From a sentence to a request, with what is known of this machine. */
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import type { NamedFolder, SentenceWorld, Understanding } from '../kernel/files/understanding.ts';
import { safeJson } from '../kernel/text/quote.ts';
import { callerOf, type FileAgentDeps, type FileRun } from './file-agent.ts';
import { requestSchema } from './input.ts';
import { understand } from './language/understand.ts';
import { lookRequest } from './look-request.ts';
import { partsOf, shownPath } from './paths.ts';
import { findFolder } from './place.ts';
import { isChange } from './plan/make-plan.ts';

export interface SentenceDeps extends FileAgentDeps {
  /** A model that may say what a sentence means; undefined where none is configured. */
  readonly propose?: ((sentence: string, signal: AbortSignal) => Promise<unknown>) | undefined;
}

export interface SentenceWish {
  readonly sentence: string;
  /** The folder where whoever asks stands, a whole path. */
  readonly here?: string | undefined;
}

export type Understood = Understanding & { readonly by: 'rules' | 'model' };

/** The rules come first. A model is asked where they are not sure, and says no more than they may. */
export async function understandSentence(
  deps: SentenceDeps,
  wish: SentenceWish,
  run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
): Promise<Understood> {
  const world = await worldOf(deps, wish, run);
  const said = withKind(withFolderSlash(understand(wish.sentence, world)), wish.sentence);
  const found = withLikelyDates(said);
  if (found.kind === 'understood' && found.confidence >= sure) return { ...found, by: 'rules' };
  if (found.kind === 'refused' || deps.propose === undefined) return { ...found, by: 'rules' };
  const proposed = await deps.propose(wish.sentence, run.signal).catch(() => undefined);
  const parsed = requestSchema.safeParse(proposed);
  if (!parsed.success) return { ...found, by: 'rules' };
  const { data: request } = parsed;
  return {
    ...{ kind: 'understood', request, reading: requestWords(request), confidence: 0.7 },
    ...{ unused: [], by: 'model' },
  };
}

/** What a model has proposed, so that a wrong one is seen. */
function requestWords({ action, ...parts }: FileRequest): string {
  const said = Object.entries(parts).filter(([, value]) => value !== undefined);
  return [action, ...said.map(([key, value]) => `${key} ${safeJson(value)}`)].join(', ');
}

const sure = 0.6;

/** Where people say "to Archive" they mean a folder, there or not. */
function withFolderSlash(found: Understanding): Understanding {
  if (found.kind !== 'understood') return found;
  const { action, destination } = found.request;
  if (action !== 'move_file' && action !== 'copy_file') return found;
  const name = destination?.split('/').at(-1) ?? '';
  if (destination === undefined || name === '' || /\.[A-Za-z0-9]{1,5}$/.test(name)) return found;
  return { ...found, request: { ...found.request, destination: `${destination}/` } };
}

const ofFolders = /\b(?:folders?|director(?:y|ies)|everything|contents?|empty|clear|wipe)\b/i;

/** Who says "files" does not mean the folders beside them; who does is told that they go too. */
function withKind(found: Understanding, sentence: string): Understanding {
  if (found.kind !== 'understood') return found;
  const { action, path = '', filters } = found.request;
  const isOfMany = isChange(action) && path.endsWith('/*') && filters?.kind === undefined;
  if (!isOfMany) return found;
  const kind = ofFolders.test(withoutPlace(sentence)) ? 'any' : 'file';
  const reading = kind === 'any' ? `${found.reading} (folders too)` : found.reading;
  return { ...found, reading, request: { ...found.request, filters: { ...filters, kind } } };
}

/** "In my Downloads folder" says where, and not what. */
function withoutPlace(sentence: string): string {
  return sentence.replace(/\b(?:in|from|of|inside|to|into)\b[^,.]*?\bfolders?\b/gi, ' ');
}

/** People remember roughly when it was: where they search, a date rules nothing out. */
function withLikelyDates(found: Understanding): Understanding {
  if (found.kind !== 'understood' || found.request.action !== 'search_files') return found;
  const { modified_after, modified_before, ...filters } = found.request.filters ?? {};
  if (modified_after === undefined && modified_before === undefined) return found;
  const likely = {
    ...(modified_after === undefined ? {} : { likely_modified_after: modified_after }),
    ...(modified_before === undefined ? {} : { likely_modified_before: modified_before }),
  };
  const options = { ...found.request.options, ...likely };
  const reading = `${found.reading} (those changed then are likelier, and others are found too)`;
  return { ...found, reading, request: { ...found.request, filters, options } };
}

async function worldOf(
  deps: SentenceDeps,
  { here }: SentenceWish,
  run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
): Promise<SentenceWorld> {
  const { root, zone, clock } = deps;
  const folders = [...(await knownFolders(deps)), ...(await realFolders(deps, run))];
  const isBelow = here !== undefined && (here === root || here.startsWith(`${root}/`));
  return { now: clock.now(), zone, root, here: isBelow ? here : root, folders };
}

const usualNames = {
  ...{ DESKTOP: 'Desktop', DOWNLOAD: 'Downloads', TEMPLATES: 'Templates', PUBLICSHARE: 'Public' },
  ...{ DOCUMENTS: 'Documents', MUSIC: 'Music', PICTURES: 'Pictures', VIDEOS: 'Videos' },
} as const;

const largestDirs = 64 * 1024;

/** The desktop's own list where there is one: the folder may be called otherwise. */
async function knownFolders({ disk, root }: SentenceDeps): Promise<readonly NamedFolder[]> {
  const file = `${root}/.config/user-dirs.dirs`;
  const text = await readWholeFile(disk, file, largestDirs).catch(() => new Uint8Array());
  const said = new Map(
    [
      ...Buffer.from(text)
        .toString()
        .matchAll(/^XDG_([A-Z]+)_DIR="\$HOME\/([^"\n]*)"/gm),
    ].map(([, key = '', path = '']) => [key, path.replace(/\/+$/, '')]),
  );
  return Object.entries(usualNames).flatMap(([key, usual]) => {
    const path = said.get(key) ?? usual;
    if (path === '') return [];
    const real = path.split('/').at(-1) ?? path;
    const names = real === usual ? [usual] : [usual, real];
    return [{ names, path: `~/${path}`, isKnown: true }];
  });
}

const mostFolders = 2000;

/** Those that lie in the root, and in its folders. */
async function realFolders(
  deps: SentenceDeps,
  run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
): Promise<readonly NamedFolder[]> {
  const caller = callerOf(deps, run, async () => false);
  const request = { action: 'list_files' } as const;
  try {
    await using folder = await findFolder(deps, caller, partsOf(deps.root), { passing: true });
    const found = new Map<string, NamedFolder>();
    for (const glob of [['*'], ['*', '*']]) {
      const wish = { folder, glob, power: 'read', kind: 'folder', limit: mostFolders } as const;
      const wanted = await lookRequest(deps, caller, request, wish);
      for (const { path } of (await deps.looking.list(wanted, caller.signal)).files) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        found.set(path, { names: [name], path: shownPath(caller.roots, path), isKnown: false });
      }
    }
    return [...found.values()];
  } catch {
    // A root that is not there yet has no folders.
    return [];
  }
}
