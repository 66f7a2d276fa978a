/** Puts files into a new tree, each with its time; folders get theirs when all is there. */
import {
  chmodSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesOf } from '../../src/engines/disk/owners.ts';

export interface FileToBe {
  readonly content: string | Buffer;
  readonly modifiedAt: number;
  readonly mode?: number;
  /** With a hole at its end, up to this size. */
  readonly sparseBytes?: number;
}

export class HomeBuilder {
  readonly #root: string;
  readonly #folderTime: number;
  readonly #folders = new Set<string>();
  readonly #closed: string[] = [];
  #files = 0;

  constructor(root: string, { folderTime }: { readonly folderTime: number }) {
    this.#root = root;
    this.#folderTime = folderTime;
    mkdirSync(root, { recursive: true });
    this.#folders.add(root);
  }

  get files(): number {
    return this.#files;
  }

  /** Names below the root; the path comes back whole. */
  file(path: string, { content, modifiedAt, mode = 0o644, sparseBytes }: FileToBe): string {
    const place = this.#placeFor(path);
    writeFileSync(bytesOf(place), content);
    if (sparseBytes !== undefined) truncateSync(bytesOf(place), sparseBytes);
    setTime(place, modifiedAt);
    // What the umask took away comes back.
    chmodSync(bytesOf(place), mode);
    return place;
  }

  symlink(path: string, target: string): string {
    const place = this.#placeFor(path);
    symlinkSync(bytesOf(target), bytesOf(place));
    lutimesSync(bytesOf(place), new Date(this.#folderTime), new Date(this.#folderTime));
    return place;
  }

  /** Another name of a file that is there. */
  hardLink(path: string, existing: string): string {
    const place = this.#placeFor(path);
    linkSync(bytesOf(existing), bytesOf(place));
    return place;
  }

  folder(path: string): string {
    const place = join(this.#root, path);
    for (let above = place; !this.#folders.has(above); above = dirname(above)) {
      this.#folders.add(above);
    }
    mkdirSync(bytesOf(place), { recursive: true });
    return place;
  }

  /** Nobody but root can look into it once everything is there. */
  closeLater(place: string): void {
    this.#closed.push(place);
  }

  /** After the last file: the times of the folders, and what is closed to everybody. */
  finish(): void {
    for (const folder of this.#folders) {
      chmodSync(bytesOf(folder), 0o755);
      setTime(folder, this.#folderTime);
    }
    for (const place of this.#closed) chmodSync(bytesOf(place), 0);
  }

  /** So that whoever removes the tree can. */
  reopen(): void {
    for (const place of this.#closed) chmodSync(bytesOf(place), 0o755);
  }

  #placeFor(path: string): string {
    const cut = path.lastIndexOf('/');
    const folder = cut === -1 ? this.#root : this.folder(path.slice(0, cut));
    this.#files += 1;
    return `${folder}/${path.slice(cut + 1)}`;
  }
}

// As a Date: a number before 1970 would be taken for now.
function setTime(place: string, modifiedAt: number): void {
  utimesSync(bytesOf(place), new Date(modifiedAt), new Date(modifiedAt));
}
