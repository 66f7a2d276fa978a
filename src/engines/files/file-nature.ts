/** What one file says of itself. */
import { lstatSync } from 'node:fs';
import type { FileNature, LookBase } from '../../kernel/files/look.ts';
import {
  emptyType,
  extensionOf,
  typeOfExtension,
  unknownType,
  wordsOfType,
} from '../../kernel/files/types.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { bytesOf } from '../disk/owners.ts';
import { contentType } from './file-content.ts';
import { isPhotoType, readPhoto } from './photo.ts';

export interface NatureRequest {
  readonly base: LookBase;
  readonly name: string;
}

/** Throws what the system says where nothing of that name is there. */
export async function natureOf({ base, name }: NatureRequest, zone: TimeZone): Promise<FileNature> {
  const path = `${base.held}/${name}`;
  const stats = lstatSync(bytesOf(path));
  if (stats.isDirectory()) return plain('inode/directory');
  if (stats.isSymbolicLink()) return plain('inode/symlink');
  if (!stats.isFile()) return plain('inode/other');
  const type = await contentType(base.held, name);
  // It cannot be read; then only its name says something.
  if (type === undefined) return plain(typeOfExtension(extensionOf(name))?.type ?? unknownType);
  const { takenAt, says } = isPhotoType(type) ? await readPhoto(path, zone) : {};
  return { ...plain(type), isNameWrong: isNameWrong(type, name), takenAt, photo: says };
}

function plain(type: string): FileNature {
  return { type, typeWords: wordsOfType(type), isNameWrong: false };
}

function isNameWrong(type: string, name: string): boolean {
  const named = typeOfExtension(extensionOf(name));
  // An empty file may become anything yet.
  return named !== undefined && type !== emptyType && named.type !== type;
}
