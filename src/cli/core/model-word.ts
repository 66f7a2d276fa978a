/** Models as they are typed, and as they are shown. */
import { resolve } from 'node:path';

const scripted = 'scripted:';

/** The daemon has another working folder: a script's file is named as it sees it. */
export function modelOf(typed: string): string {
  if (!typed.startsWith(scripted)) return typed;
  const name = typed.slice(scripted.length);
  const isFile = name.includes('/') || name.endsWith('.json');
  return isFile ? `${scripted}${resolve(name)}` : typed;
}

export function isScripted(model: string): boolean {
  return model.startsWith(scripted);
}

/** Whoever reads the words of a script must know that they are from one. */
export function modelWords(model: string): string {
  return isScripted(model) ? `${model} (scripted model: follows a script)` : model;
}

/** The same for a table: a file by its last name. */
export function shortModel(model: string): string {
  if (!isScripted(model)) return model;
  return `${scripted}${model.slice(scripted.length).replace(/^.*\//s, '')} (a script)`;
}
