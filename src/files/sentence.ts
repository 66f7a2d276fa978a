/** From a sentence to a request, with what is known of this machine. */
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import type { NamedFolder, SentenceWorld, Understanding } from '../kernel/files/understanding.ts';
import { someNames } from '../kernel/files/words.ts';
import { quote, safeJson } from '../kernel/text/quote.ts';
import { callerOf, type FileAgentDeps, type FileRun } from './file-agent.ts';
import { requestSchema } from './input.ts';
import { understand } from './language/understand.ts';
import { lookRequest } from './look-request.ts';
import { parsePath, partsOf, shownPath } from './paths.ts';
import { findFolder } from './place.ts';

export interface SentenceDeps extends FileAgentDeps {
  /** A model that may say what a sentence means; undefined where none is configured. */
  readonly propose?: ((sentence: string, signal: AbortSignal) => Promise<unknown>) | undefined;
}

export interface SentenceRequest {
  readonly sentence: string;
  /** The folder in which the caller is, a whole path. */
  readonly here?: string | undefined;
}

type SentenceRun = Pick<FileRun, 'principal' | 'signal' | 'via'>;

export type Understood = Understanding & { readonly by: 'rules' | 'model' };

/** The rules come first. A model is asked where they are not sure, and says no more than they may. */
export async function understandSentence(
  deps: SentenceDeps,
  asked: SentenceRequest,
  run: SentenceRun,
): Promise<Understood> {
  const world = await worldOf(deps, asked, run);
  const { bareName, longerName, ...read } = understand(asked.sentence, world);
  const named =
    bareName === undefined ? read : await withNameFound(deps, read, { bareName, world, run });
  if (longerName !== undefined && named.kind === 'understood') {
    const places = await placesOf(deps, { bareName: longerName, world, run }, named.request.path);
    if (places.length > 0) return { ...whereBegins(named, longerName), by: 'rules' };
  }
  const found = withLikelyDates(withFolderSlash(named));
  if (found.kind === 'understood' && found.confidence >= sure) return { ...found, by: 'rules' };
  if (found.kind === 'refused' || deps.propose === undefined) return { ...found, by: 'rules' };
  const proposed = await deps.propose(asked.sentence, run.signal).catch(() => undefined);
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

interface BareName {
  readonly bareName: string;
  readonly world: SentenceWorld;
  readonly run: SentenceRun;
}

/** A file that is named without a folder is here, or else looked for in the usual folders. */
async function withNameFound(
  deps: SentenceDeps,
  found: Understanding,
  { bareName, world, run }: BareName,
): Promise<Understanding> {
  if (found.kind !== 'understood') return found;
  const places = await placesOf(deps, { bareName, world, run });
  const exact = places.filter((path) => path.endsWith(`/${bareName}`));
  const [path, ...others] = [...new Set(exact.length > 0 ? exact : places)].toSorted();
  if (path === undefined) return found;
  if (others.length > 0) return whichOf(found, [path, ...others]);
  return path === found.request.path ? found : foundAt(found, path);
}

/** `beside`: in the folder of that path, too. */
async function placesOf(
  deps: SentenceDeps,
  { bareName, world, run }: BareName,
  beside?: string,
): Promise<readonly string[]> {
  const look = (path: string, recursive: boolean, kind: 'file' | 'any' = 'file') =>
    namedIn(deps, run, { name: bareName, path, recursive, kind });
  // A folder is only taken for it where it lies here: elsewhere it may be any other.
  const here = await look(world.here, false, 'any');
  if (here.length > 0) return here;
  const usual = world.folders.filter(({ isKnown }) => isKnown).map(({ path }) => path);
  const below = [world.here, ...usual].map((path) => look(path, true));
  const near = beside === undefined ? [] : await look(folderOf(beside), false);
  return [near, await look(world.root, false), ...(await Promise.all(below))].flat();
}

function whereBegins({ reading, request }: Read, longer: string): Understanding {
  const question = `There is a file ${quote(longer)}. Please put the name that you mean in quotes.`;
  return { kind: 'asks-back', reading, confidence: 0.3, unused: [], question, request };
}

type Read = Understanding & { readonly kind: 'understood' };

function foundAt(found: Read, path: string): Read {
  const { request } = found;
  const [from = '', to = ''] = [request.path ?? '', path].map(folderOf);
  const { destination = '' } = request;
  // A copy under another name lies beside the file, wherever that is.
  const isBeside =
    destination.startsWith(`${from}/`) && /^[^/]+\.\w+$/.test(destination.slice(from.length + 1));
  const beside = isBeside ? { destination: `${to}${destination.slice(from.length)}` } : {};
  const reading = found.reading
    .replace(quote(request.path ?? ''), () => quote(path))
    .replace(/ to (\S+)$/, (said) => (isBeside ? ` to ${beside.destination}` : said));
  return { ...found, reading, request: { ...request, path, ...beside } };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function whichOf({ reading, request }: Read, paths: readonly string[]): Understanding {
  const question = `Which one do you mean: ${someNames(paths)}? Please say its folder, too.`;
  return { kind: 'asks-back', reading, confidence: 0.3, unused: [], question, request };
}

interface NamedIn {
  readonly name: string;
  readonly path: string;
  readonly recursive: boolean;
  readonly kind: 'file' | 'any';
}

const mostNamed = 50;

/** Paths as they stand in a request; none where there is no such folder. */
async function namedIn(
  deps: SentenceDeps,
  run: SentenceRun,
  { name, path, recursive, kind }: NamedIn,
): Promise<readonly string[]> {
  const caller = callerOf(deps, run, async () => false);
  const request: FileRequest = {
    action: 'list_files',
    filters: { name: name.replaceAll(/[*?[{]/g, '[$&]') },
    options: { recursive },
  };
  try {
    const parts = parsePath(caller.roots, path);
    await using folder = await findFolder(deps, caller, parts, { passing: true });
    const wanted = await lookRequest(deps, caller, request, {
      ...{ folder, glob: [], power: 'read', kind, limit: mostNamed },
    });
    const { files } = await deps.looking.list(wanted, caller.signal);
    return files.map((file) => shownPath(caller.roots, file.path));
  } catch {
    // A folder that every home may have is not in this one.
    return [];
  }
}

/** People remember roughly when it was: where nothing fits in that time, the rest is searched. */
function withLikelyDates(found: Understanding): Understanding {
  if (found.kind !== 'understood' || found.request.action !== 'search_files') return found;
  const { modified_after, modified_before, ...filters } = found.request.filters ?? {};
  if (modified_after === undefined && modified_before === undefined) return found;
  const likely = {
    ...(modified_after === undefined ? {} : { likely_modified_after: modified_after }),
    ...(modified_before === undefined ? {} : { likely_modified_before: modified_before }),
  };
  const options = { ...found.request.options, ...likely };
  const reading = `${found.reading} (others only where nothing of then is found)`;
  return { ...found, reading, request: { ...found.request, filters, options } };
}

async function worldOf(
  deps: SentenceDeps,
  { here }: SentenceRequest,
  run: SentenceRun,
): Promise<SentenceWorld> {
  const { root, zone, clock } = deps;
  const folders = [...(await knownFolders(deps)), ...(await realFolders(deps, run))];
  const isBelow = here !== undefined && (here === root || here.startsWith(`${root}/`));
  const isOutside = here !== undefined && !isBelow;
  return { now: clock.now(), zone, root, here: isBelow ? here : root, isOutside, folders };
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
async function realFolders(deps: SentenceDeps, run: SentenceRun): Promise<readonly NamedFolder[]> {
  const caller = callerOf(deps, run, async () => false);
  const request = { action: 'list_files' } as const;
  try {
    await using folder = await findFolder(deps, caller, partsOf(deps.root), { passing: true });
    const found = new Map<string, NamedFolder>();
    for (const glob of [['*'], ['*', '*']]) {
      const look = { folder, glob, power: 'read', kind: 'folder', limit: mostFolders } as const;
      const wanted = await lookRequest(deps, caller, request, look);
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
