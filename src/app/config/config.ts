/**
 * Where each setting's value comes from: flags, then the environment, then
 * config.json in the home folder, then the default. The only reader of the
 * environment. An unknown key is an error, because a setting that is misspelt
 * and silently ignored is found out too late.
 */

import { join, resolve } from 'node:path';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote, safeJson } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import {
  fits,
  isSettingName,
  type SettingName,
  type Settings,
  settingNames,
  settingsTable,
  variableOf,
  wantsOf,
} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigSources {
  readonly view: DiskView;
  readonly environment: Environment;
  /** From `--home DIR` and `--set KEY=VALUE`; the last one of a key wins. */
  readonly flags: readonly FlagValue[];
}

export interface FlagValue {
  readonly key: string;
  readonly text: string;
  readonly flag: '--home' | '--set' | '--port';
}

export interface Config {
  readonly settings: Settings;
  readonly originOf: (name: SettingName) => SettingOrigin;
}

export type SettingOrigin =
  | { readonly kind: 'flag' | 'environment' | 'file'; readonly name: string }
  | { readonly kind: 'default' };

interface Given {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: SettingOrigin;
}

const defaultOrigin: SettingOrigin = { kind: 'default' };

// The first are read by the tests. The others say to a program who it is and where its
// daemon listens. None is a setting.
const otherVariables = /^AOS_(?:TEST_|(?:AGENT|SOCKET|HANDLE|BODY|GOAL)$)/;

/** The environment of this process, as the rest of the program may see it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The agent as which a command acts when its options name none. */
export function agentOf(environment: Environment): string | undefined {
  const name = environment['AOS_AGENT'] ?? '';
  return name === '' ? undefined : name;
}

/** Where an agent calls, and the secret that proves that it does. */
export interface AgentDoor {
  readonly socket: string;
  readonly handle: string;
}

/** Of the program that an agent is; half of it is a mistake, and never another caller. */
export function agentDoorOf(environment: Environment): AgentDoor | undefined {
  const { AOS_SOCKET: socket = '', AOS_HANDLE: handle = '' } = environment;
  if (socket === '' && handle === '') return undefined;
  if (socket !== '' && handle !== '') return { socket, handle };
  const [there, missing] =
    socket === '' ? ['AOS_HANDLE', 'AOS_SOCKET'] : ['AOS_SOCKET', 'AOS_HANDLE'];
  throw new AosError('usage.bad-value', {
    message: `The environment has ${there} and not ${missing}: an agent needs both`,
    fix: `Set ${missing} too, or unset ${there} to act as the owner`,
  });
}

/** A key for models that this process was started with. */
export function modelKeyOf(environment: Environment, provider: string): string | undefined {
  const key = environment[`${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`] ?? '';
  return key === '' ? undefined : key;
}

/** Whether words on a terminal may be coloured (https://no-color.org). */
export function colorAllowed(environment: Environment): boolean {
  return (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}

/** The settings in force. A wrong value is told even where a higher source overrules it. */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const above = [...fromEnvironment(sources.environment), ...fromFlags(sources.flags)];
  const home = absoluteHome(above.findLast(({ name }) => name === 'home')?.value);
  const below = await fromFile(sources.view, join(home, 'config.json'));
  const inForce = new Map([...below, ...above].map((given) => [given.name, given]));

  const values = settingNames.map((name) => [name, chosen(name, inForce.get(name))]);
  // Each value is a default or went through check(), so each has its setting's type.
  const settings = { ...Object.fromEntries(values), home } as Settings;
  if (settings.diskWarnPercent > settings.diskAlertPercent) throw warnAboveAlert(settings);
  return { settings, originOf: (name) => inForce.get(name)?.origin ?? defaultOrigin };
}

function chosen(name: SettingName, given: Given | undefined): unknown {
  return given === undefined ? settingsTable[name].default : given.value;
}

function fromEnvironment(environment: Environment): Given[] {
  const names = new Map(settingNames.map((name) => [variableOf(name), name]));
  return Object.entries(environment)
    .filter(([name]) => name.startsWith('AOS_') && !otherVariables.test(name))
    .filter(([, text]) => text !== undefined && text !== '')
    .map(([variable, text]) => {
      const name = names.get(variable);
      if (name === undefined) throw unknownVariable(variable, names.keys());
      return check(name, text, { kind: 'environment', name: variable });
    });
}

function unknownVariable(variable: string, known: Iterable<string>): AosError {
  return new AosError('config.unknown-key', {
    message: `The environment sets ${quote(variable)}, which is not a setting.${didYouMean(variable, known)}`,
    fix: `unset ${variable}`,
  });
}

function fromFlags(flags: readonly FlagValue[]): Given[] {
  return flags.map(({ key, text, flag }) => {
    const origin: SettingOrigin = { kind: 'flag', name: flag };
    return check(knownName(key, flag), text, origin);
  });
}

async function fromFile(view: DiskView, path: string): Promise<Given[]> {
  const content = (await readConfigFile(view, path)) ?? {};
  return Object.entries(content)
    .filter(([key, value]) => key !== '$schema' || typeof value !== 'string')
    .map(([key, value]) => {
      if (key === 'home') throw homeInFile(path);
      return check(knownName(key, quote(path)), value, { kind: 'file', name: path });
    });
}

function homeInFile(path: string): AosError {
  return new AosError('config.unknown-key', {
    message: `${quote(path)} sets "home", but it lies in the home folder and cannot say where that is`,
    fix: 'Remove the key and set AOS_HOME, or pass --home',
  });
}

function knownName(key: string, where: string): SettingName {
  if (isSettingName(key)) return key;
  throw new AosError('config.unknown-key', {
    message: `There is no setting ${shown(key)}, as in ${where}.${didYouMean(key, settingNames)}`,
    fix: '"aos config show" lists every setting',
  });
}

function check(name: SettingName, value: unknown, origin: SettingOrigin): Given {
  const reading = readings(value, origin).find((candidate) => fits(name, candidate));
  if (reading !== undefined) return { name, value: reading, origin };
  const where = origin.kind === 'file' ? quote(origin.name) : nameOf(origin);
  throw new AosError('config.bad-value', {
    message: `"${name}" must be ${wantsOf(name)}, and ${where} says ${shown(value)}`,
    fix: fixFor(name, origin),
  });
}

function nameOf(origin: SettingOrigin): string {
  return origin.kind === 'default' ? 'the default' : origin.name;
}

function fixFor(name: SettingName, origin: SettingOrigin): string {
  if (origin.kind === 'environment') return `export ${origin.name}=${settingsTable[name].default}`;
  if (origin.kind === 'file') return `Correct "${name}" in ${quote(origin.name)}`;
  return `Pass ${wantsOf(name)}, such as ${settingsTable[name].default}`;
}

// Flags and variables are text, so "70" may mean the number, and "true" itself. A file says what it means.
function readings(value: unknown, origin: SettingOrigin): unknown[] {
  if (typeof value !== 'string' || origin.kind === 'file') return [value];
  return /^(?:-?(?:0|[1-9]\d*)|true|false)$/.test(value) ? [value, JSON.parse(value)] : [value];
}

function shown(value: unknown): string {
  const text = safeJson(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** `~` is the user's home; a relative path starts where the command was run. */
function absoluteHome(given: unknown): string {
  return absolutePath(typeof given === 'string' ? given : settingsTable.home.default);
}

/** Of a setting that names a place: `~` is the home folder of the user that runs this. */
export function absolutePath(path: string): string {
  return absolute(path === '~' || path.startsWith('~/') ? join(userHome(), path.slice(1)) : path);
}

// Loaded when needed: who set AOS_HOME does not pay for it.
function userHome(): string {
  return process.getBuiltinModule('node:os').homedir();
}

function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new AosError('disk.missing', {
      message: `The folder from which ${quote(path)} would be reached has been removed`,
      fix: 'cd to a folder that exists, or give the whole path',
      cause,
    });
  }
}

function warnAboveAlert({ diskWarnPercent, diskAlertPercent }: Settings): AosError {
  return new AosError('config.bad-value', {
    message: `"diskWarnPercent" (${diskWarnPercent}) must not be above "diskAlertPercent" (${diskAlertPercent}), because the warning comes first`,
    fix: 'Lower the one or raise the other',
  });
}

// `config.json` as text and as JSON, before its keys mean anything.

const limitBytes = 1024 * 1024;

/** The object that stands in the file; undefined when there is no file. */
async function readConfigFile(
  view: DiskView,
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readText(view, path);
  return text === undefined ? undefined : parseObject(text, path);
}

async function readText(view: DiskView, path: string): Promise<string | undefined> {
  const bytes = await readBytes(view, path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed(`${quote(path)} is not UTF-8 text`, cause);
  }
}

async function readBytes(view: DiskView, path: string): Promise<Uint8Array | undefined> {
  try {
    if ((await view.stat(path)) === undefined) return undefined;
    return await readWholeFile(view, path, limitBytes);
  } catch (cause) {
    if (!(cause instanceof AosError)) throw cause;
    // No home, no file in it: what is wrong with the home is told by who needs it.
    if (cause.code === 'disk.not-a-folder') return undefined;
    const wrongFile = cause.code === 'disk.too-large' || cause.code === 'disk.not-a-file';
    throw new AosError(wrongFile ? 'config.malformed' : 'config.unreadable', {
      message: `The settings cannot be read. ${cause.message}`,
      fix: cause.fix,
      cause,
    });
  }
}

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw malformed(`${quote(path)} is not valid JSON: ${placeIn(text, cause)}`, cause);
  }
  if (isObject(parsed)) return parsed;
  throw malformed(`${quote(path)} must hold one JSON object, such as {"diskWarnPercent": 70}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the mistake is. The engine tells of a wrong structure, not of a wrong word. */
function placeIn(text: string, cause: unknown): string {
  const told = /line (\d+) column (\d+)/.exec(String(cause));
  if (told !== null) return `look at line ${told[1]}, column ${told[2]}`;
  const good = longestRunOfTokens(text);
  if (good.length === text.length) return 'it ends too early';
  const lines = good.split('\n');
  return `look at line ${lines.length}, column ${must(lines.at(-1), 'the last line').length + 1}`;
}

function longestRunOfTokens(text: string): string {
  const token = /\s+|[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
  let end = 0;
  while (token.test(text)) end = token.lastIndex;
  return text.slice(0, end);
}

function malformed(message: string, cause?: unknown): AosError {
  return new AosError('config.malformed', {
    message,
    fix: 'Mend the file; "aos config schema" prints what may stand in it',
    cause,
  });
}
