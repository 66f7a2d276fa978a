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
import { type Action, actionsOf, type Capability, implies, type Resource } from './capability.ts';
import { BrokenRule, badCapability } from './capability-fault.ts';
import {
  type ConstraintPairs,
  parseConstraints,
  printConstraints,
  splitConstraints,
} from './constraint-text.ts';
import { parseTarget, printTarget } from './target-text.ts';

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

function parseActions(resource: Resource, text: string): readonly Action[] {
  const said = text.split(',');
  const known: readonly Action[] = ['*', ...actionsOf[resource]];
  for (const action of said) {
    if (!known.includes(action as Action)) {
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
  const implied = (action: Action): boolean =>
    said.some((other) => other !== action && implies(resource, other as Action, action));
  return known.filter((action) => said.includes(action) && !implied(action));
}
