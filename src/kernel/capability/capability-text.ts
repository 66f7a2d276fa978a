/**
 * Capabilities as text. Two spellings, which say the same:
 *
 *     file:/home/u/data/*:read{timeout:30s}
 *     capability://file/home/u/data/*?action=read&timeout=30s
 *
 * T1. Strict: what is not said in exactly one way is refused, and never mended. So two texts
 *     that look different to a person are different to the program.
 * T2. Printed in the short spelling, which parses to the same thing again.
 */

import type { Instant } from '../ports.ts';
import {
  type ActionName,
  actionsOf,
  BrokenRule,
  badCapability,
  type Capability,
  type Constraints,
  implies,
  type Rate,
  type RateUnit,
  type Resource,
  rateUnitMs,
} from './capability.ts';
import { parseProgramPath, parseTarget, printProgram, printTarget } from './target-text.ts';

const longestText = 4096;
const scheme = 'capability://';

/** Throws `capability.bad` with the rule that is broken. */
export function parseCapability(text: string): Capability {
  try {
    if (text.length > longestText)
      throw new BrokenRule(`it has more than ${longestText} characters`);
    // Also what would change how the rest is shown.
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) {
      throw new BrokenRule('it has a character that cannot be seen');
    }
    return text.startsWith(scheme) ? fromLong(text.slice(scheme.length)) : fromShort(text);
  } catch (failure) {
    if (failure instanceof BrokenRule) throw badCapability(text, failure.message, failure.fix);
    throw failure;
  }
}

/** T2 */
export function printCapability({ resource, target, actions, constraints }: Capability): string {
  return `${resource}:${printTarget(resource, target)}:${actions.join(',')}${printConstraints(constraints)}`;
}

interface Parts {
  readonly resource: string;
  /** Undefined when nothing is said of it. */
  readonly target: string | undefined;
  readonly actions: string;
  readonly constraints: ConstraintPairs;
}

function fromShort(text: string): Capability {
  const brace = text.indexOf('{');
  const head = brace === -1 ? text : text.slice(0, brace);
  const constraints = brace === -1 ? [] : splitConstraints(inBraces(text.slice(brace)));
  const first = head.indexOf(':');
  if (first === -1) throw new BrokenRule('it has no colon', 'Write it as resource:target:action');
  const resource = head.slice(0, first);
  const rest = head.slice(first + 1);
  const last = rest.lastIndexOf(':');
  const target = last === -1 ? undefined : rest.slice(0, last);
  return assemble({ resource, target, actions: rest.slice(last + 1), constraints });
}

function inBraces(text: string): string {
  if (text.endsWith('}')) return text.slice(1, -1);
  throw new BrokenRule('the constraints do not end with "}"');
}

function fromLong(text: string): Capability {
  const question = text.indexOf('?');
  if (question === -1) throw new BrokenRule('it says no action', 'Add ?action=…');
  const place = text.slice(0, question);
  const slash = place.indexOf('/');
  const resource = slash === -1 ? place : place.slice(0, slash);
  const rest = slash === -1 ? undefined : place.slice(slash);
  const target = hasPath(resource, rest) ? rest : rest?.slice(1);
  let actions: string | undefined;
  const constraints: (readonly [string, string])[] = [];
  for (const pair of text.slice(question + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new BrokenRule('what follows "?" is not key=value');
    const [key, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    if (key === 'action') {
      if (actions !== undefined) throw new BrokenRule('it says action twice');
      actions = value;
    } else if (key === 'constraint') constraints.push(...splitConstraints(value));
    else constraints.push([key, value]);
  }
  if (actions === undefined) throw new BrokenRule('it says no action', 'Add ?action=…');
  return assemble({ resource, target, actions, constraints });
}

/** A path begins with the slash, and any other target after it. A program of one part is a name. */
function hasPath(resource: string, rest: string | undefined): boolean {
  return resource === 'file' || (resource === 'shell' && rest?.includes('/', 1) === true);
}

function assemble({ resource, target, actions, constraints }: Parts): Capability {
  if (!isResource(resource)) {
    const known = Object.keys(actionsOf).join(', ');
    throw new BrokenRule('there is no such resource', `Begin with one of ${known}`);
  }
  return {
    resource,
    target: parseTarget(resource, target),
    actions: parseActions(resource, actions),
    constraints: parseConstraints(resource, constraints),
  };
}

function isResource(text: string): text is Resource {
  return Object.hasOwn(actionsOf, text);
}

function parseActions(resource: Resource, text: string): readonly ActionName[] {
  const said = text.split(',');
  const known: readonly ActionName[] = ['*', ...actionsOf[resource]];
  for (const action of said) {
    if (!known.includes(action as ActionName)) {
      throw new BrokenRule(
        action === '' ? 'it says no action' : 'there is no such action',
        `Of ${resource} there are ${actionsOf[resource].join(', ')} and *`,
      );
    }
  }
  if (new Set(said).size < said.length) throw new BrokenRule('it says an action twice');
  const [star] = said;
  if (star === '*' && said.length === 1) return ['*'];
  if (said.includes('*')) throw new BrokenRule('"*" says every action already');
  const implied = (action: ActionName): boolean =>
    said.some((other) => other !== action && implies(resource, other as ActionName, action));
  return known.filter((action) => said.includes(action) && !implied(action));
}

type ConstraintPairs = readonly (readonly [key: string, value: string])[];

/** Pairs as in braces. Between commas, what has no colon goes on with the list before it. */
function splitConstraints(text: string): ConstraintPairs {
  const pairs: [string, string][] = [];
  for (const part of text.split(',')) {
    const colon = part.indexOf(':');
    const last = pairs.at(-1);
    if (colon > 0) pairs.push([part.slice(0, colon), part.slice(colon + 1)]);
    else if (colon === -1 && last?.[0] === 'allowlist') last[1] += `,${part}`;
    else throw new BrokenRule('a constraint is not key:value');
  }
  return pairs;
}

type Key = 'timeout' | 'rate' | 'max' | 'allowlist' | 'size' | 'expires';

const parsers: { readonly [K in Key]: (value: string) => Constraints } = {
  timeout: (value) => ({ timeoutMs: parseUnits(value, durationMs, 'a time such as 30s') }),
  rate: (value) => ({ rate: parseRate(value) }),
  max: (value) => ({ max: parseCount(value) }),
  allowlist: (value) => ({ allowlist: parseList(value) }),
  size: (value) => ({ sizeBytes: parseUnits(value, sizeBytes, 'a size such as 10MiB') }),
  expires: (value) => ({ expires: parseExpires(value) }),
};

const fix = `Constraints are ${Object.keys(parsers).join(', ')}`;

function parseConstraints(resource: Resource, pairs: ConstraintPairs): Constraints {
  const said = new Set<string>();
  let constraints: Constraints = {};
  for (const [key, value] of pairs) {
    if (!isKey(key)) throw new BrokenRule(`there is no constraint ${JSON.stringify(key)}`, fix);
    if (said.has(key)) throw new BrokenRule(`it says ${key} twice`);
    if (key === 'allowlist' && resource !== 'shell') {
      throw new BrokenRule('an allowlist is for shell only');
    }
    said.add(key);
    constraints = { ...constraints, ...parsers[key](value) };
  }
  return constraints;
}

function isKey(key: string): key is Key {
  return Object.hasOwn(parsers, key);
}

/** Nothing where there are none. */
function printConstraints(constraints: Constraints): string {
  const { timeoutMs, rate, max, allowlist, sizeBytes: size, expires } = constraints;
  const pairs = [
    allowlist && `allowlist:${allowlist.map(printProgram).join(',')}`,
    expires !== undefined && `expires:${printExpires(expires)}`,
    max !== undefined && `max:${max}`,
    rate && `rate:${rate.count}/${rate.per}`,
    size !== undefined && `size:${printUnits(size, sizeBytes)}`,
    timeoutMs !== undefined && `timeout:${printUnits(timeoutMs, durationMs)}`,
  ].filter((pair) => typeof pair === 'string');
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** The largest first. */
type Units = readonly (readonly [unit: string, worth: number])[];

const durationMs: Units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const sizeBytes: Units = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1000],
  ['B', 1],
];

function parseUnits(text: string, units: Units, example: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,15})([A-Za-z]+)$/.exec(text) ?? [];
  const worth = units.find(([name]) => name === unit)?.[1];
  const value = Number(digits) * (worth ?? Number.NaN);
  if (worth !== undefined && Number.isSafeInteger(value)) return value;
  const names = units.map(([name]) => name).join(', ');
  throw new BrokenRule(`${JSON.stringify(text)} is not ${example}`, `Units are ${names}`);
}

function printUnits(value: number, units: Units): string {
  const [unit, worth] = units.find(([, each]) => value % each === 0) ?? ['', 1];
  return `${value / worth}${unit}`;
}

function parseRate(text: string): Rate {
  const [, digits = '', per = ''] = /^([1-9]\d{0,8})\/([a-z]+)$/.exec(text) ?? [];
  if (isRateUnit(per)) return { count: Number(digits), per };
  const names = Object.keys(rateUnitMs).join(', ');
  throw new BrokenRule(
    `${JSON.stringify(text)} is not a rate such as 100/min`,
    `Per one of ${names}`,
  );
}

function isRateUnit(text: string): text is RateUnit {
  return Object.hasOwn(rateUnitMs, text);
}

function parseCount(text: string): number {
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new BrokenRule(`${JSON.stringify(text)} is not a number of uses such as 5`);
}

function parseList(text: string): readonly string[] {
  const names = text.split(',').map(parseProgram);
  if (new Set(names).size < names.length) throw new BrokenRule('it names a program twice');
  return names.toSorted();
}

function parseProgram(text: string): string {
  if (text.startsWith('/')) return parseProgramPath(text);
  if (/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/.test(text)) return text;
  throw new BrokenRule(`${JSON.stringify(text)} is not the name of a program`);
}

function parseExpires(text: string): Instant {
  const moment = Date.parse(text);
  // A day that there is not would be read as another one.
  if (!Number.isNaN(moment) && printExpires(moment) === text) return moment;
  throw new BrokenRule(`${JSON.stringify(text)} is not a moment such as 2030-01-31T12:00:00Z`);
}

function printExpires(at: Instant): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
