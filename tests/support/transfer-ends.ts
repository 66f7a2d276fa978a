/** The ends of transfers in a test: as the library has them, and as somebody without good will. */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { AgentTransfer } from '../../src/app/library/agent-transfer.ts';
import { headerBytes, sealChunks, sealedSize, sealingOf } from '../../src/blobs/seal/aosb1.ts';
import type { Client } from '../../src/gateway/client/client.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { type Agent, furnishTransfers, type TransferHome, transferHome } from './transfer-home.ts';

export interface ServedHome extends Omit<TransferHome, typeof Symbol.asyncDispose> {
  readonly daemon: RunningDaemon;
  /** What was in the store when the test began. */
  readonly earlier?: readonly string[];
}

export async function servedHome(): Promise<ServedHome & AsyncDisposable> {
  const home = await transferHome({ withDaemon: true });
  const { daemon } = home;
  if (daemon === undefined) throw new Error('there is no daemon');
  return { ...home, daemon };
}

/**
 * One daemon for all tests of a file. Each test gets a folder and three agents of its own, whom
 * `names` names: the jared of the first is `jared-1` to the daemon.
 */
export function sharedServedHome(): () => Promise<ServedHome> {
  const opened = new AsyncDisposableStack();
  let started: { readonly folder: TemporaryFolder; readonly daemon: RunningDaemon } | undefined;
  let count = 0;
  beforeAll(async () => {
    const folder = opened.use(temporaryFolder());
    started = { folder, daemon: opened.use(await startDaemon(folder.at('home'))) };
  });
  afterAll(() => opened.disposeAsync());
  return async () => {
    if (started === undefined) throw new Error('the daemon was not started');
    count += 1;
    const { folder, daemon } = started;
    const home = folder.at('home');
    const [samantha, jared, jean] = [`samantha-${count}`, `jared-${count}`, `jean-${count}`];
    const names = { samantha, jared, jean };
    const own = folderIn(folder, `test-${count}`);
    const earlier = storedFiles({ home });
    return { ...(await furnishTransfers({ folder: own, home, daemon, names })), daemon, earlier };
  };
}

function folderIn(folder: TemporaryFolder, name: string): TemporaryFolder {
  const path = folder.at(name);
  mkdirSync(path);
  // It goes with the folder that it is in.
  const gone = async (): Promise<void> => {};
  return { path, at: (...names) => join(path, ...names), [Symbol.asyncDispose]: gone };
}

/** The library, as the owner's program has it. */
export function libraryOf({ daemon: { client }, names }: ServedHome, sender: Agent): AgentTransfer {
  return new AgentTransfer({ sender: names[sender], use: (work) => work(client) });
}

/** The library of an agent that has nothing but its handle. */
export function libraryWithHandle(home: ServedHome, agent: Agent): AgentTransfer {
  const { AOS_SOCKET: socket, AOS_HANDLE: handle } = home.withHandle(agent);
  return new AgentTransfer({ socket, handle });
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Different ones each time. */
export function someBytes(sizeBytes: number): Uint8Array {
  return randomBytes(sizeBytes);
}

/** The files of the store since the test began, without what is still coming. */
export function storedFiles({
  home,
  earlier = [],
}: Pick<ServedHome, 'home' | 'earlier'>): string[] {
  const blobs = join(home, 'blobs');
  return readdirSync(blobs)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(blobs, name)).map((hash) => join(blobs, name, hash)))
    .filter((path) => !earlier.includes(path));
}

/** Every name below a folder, with what stands there; to be compared with a later one. */
export function everythingIn(folder: string, except: readonly string[] = []): string[] {
  return readdirSync(folder)
    .filter((name) => !except.includes(name))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const entry = lstatSync(path);
      if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
      if (entry.isDirectory()) return [`${path}/`, ...everythingIn(path)];
      return [`${path} ${entry.isFile() ? sha256(readFileSync(path)) : 'no file'}`];
    });
}

/** As the sender's end stores it. */
export function sealed(plain: Uint8Array, dek: string): Uint8Array {
  const sealing = sealingOf(Buffer.from(dek, 'hex'));
  const out = new Uint8Array(sealedSize(plain.length));
  out.set(sealing.header);
  sealChunks(sealing, plain, { first: 0, toEnd: true }, out.subarray(headerBytes));
  return out;
}

export interface HandMade {
  readonly to: readonly string[];
  readonly filename?: string;
  readonly kind?: 'file' | 'folder' | 'stream';
  readonly as?: string;
}

/** Sends bytes as they are, whatever they are said to be; the id. */
export async function sendByHand(
  client: Client,
  plain: Uint8Array,
  { to, filename = 'made.bin', kind = 'file', as }: HandMade,
): Promise<string> {
  const [size_bytes, hash] = [plain.length, sha256(plain)];
  const begun = await client.beginUpload({
    ...{ as, filename, kind, to: [...to], size_bytes, sha256: hash, sealed: true },
  });
  if (begun.state !== 'open' || begun.dek === null) throw new Error(`it was ${begun.state}`);
  const bytes = sealed(plain, begun.dek);
  await client.uploadBytes(begun.upload, once(bytes), { as, from: 0 });
  const end = { as, stored_bytes: bytes.length, size_bytes, sha256: hash };
  const { transfers } = await client.finishUpload(begun.upload, end);
  return transfers[0]?.id ?? '';
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
