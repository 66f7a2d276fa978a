/** The constraints of a capability: `timeout:30s`, `rate:100/min`, `max:5`, … */

import type { Instant } from '../ports.ts';
import {
  type Constraints,
  type Rate,
  type RateUnit,
  type Resource,
  rateUnitMs,
} from './capability.ts';
import { BrokenRule } from './capability-fault.ts';
import { parseProgramPath, printProgram } from './program-text.ts';

export type ConstraintPairs = readonly (readonly [key: string, value: string])[];

/** Pairs as in braces. Between commas, what has no colon goes on with the list before it. */
export function splitConstraints(text: string): ConstraintPairs {
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

export function parseConstraints(resource: Resource, pairs: ConstraintPairs): Constraints {
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
export function printConstraints(constraints: Constraints): string {
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
