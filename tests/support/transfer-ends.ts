/** The ends of transfers in a test: as the library has them, and as somebody without good will. */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { AgentTransfer } from '../../src/app/agent-transfer.ts';
import { headerBytes, sealChunks, sealedSize, sealingOf } from '../../src/blobs/seal/aosb1.ts';
import type { Client } from '../../src/gateway/client.ts';
import type { RunningDaemon } from './running-daemon.ts';
import { type Agent, type TransferHome, transferHome } from './transfer-home.ts';

export interface ServedHome extends TransferHome {
  readonly daemon: RunningDaemon;
}

export async function servedHome(): Promise<ServedHome> {
  const home = await transferHome({ withDaemon: true });
  const { daemon } = home;
  if (daemon === undefined) throw new Error('there is no daemon');
  return { ...home, daemon };
}

/** The library, as the owner's program has it. */
export function libraryOf({ daemon: { client } }: ServedHome, sender: Agent): AgentTransfer {
  return new AgentTransfer({ sender, use: (work) => work(client) });
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

/** The files of the store, without what is still coming. */
export function storedFiles({ home }: Pick<TransferHome, 'home'>): string[] {
  const blobs = join(home, 'blobs');
  return readdirSync(blobs)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(blobs, name)).map((hash) => join(blobs, name, hash)));
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
