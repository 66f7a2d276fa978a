/** Capabilities of every kind, for tests that hold for all of them. */
import fc from 'fast-check';
import {
  type Action,
  type ActionName,
  actionsOf,
  type Capability,
  type CapabilityTarget,
  type Constraints,
  type Host,
  implies,
  type NameTarget,
  type Rate,
  type RateUnit,
  type Resource,
  rateUnitMs,
  type Segment,
} from '../../src/kernel/capability/capability.ts';

const resources = Object.keys(actionsOf) as Resource[];

/** Few names, so that two capabilities often have to do with each other. */
const fileName = fc.oneof(
  fc.constantFrom('a', 'b', 'data', '%', '*', 'a b', ':', '{x}', '…', '名'),
  fc
    .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
    .filter((name) => !/[\p{C}\p{Zl}\p{Zp}/]/u.test(name) && name !== '.' && name !== '..'),
);
const segment: fc.Arbitrary<Segment> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('any' as const) },
  { weight: 4, arbitrary: fileName.map((name) => ({ name })) },
);
const label = fc.constantFrom('a', 'b', 'api', 'x-1', 'xn--bcher-kva');
const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));

const host: fc.Arbitrary<Host> = fc.oneof(
  fc.constant({ kind: 'any' as const }),
  domain.map((of) => ({ kind: 'subdomains' as const, of })),
  fc
    .oneof(domain, fc.constantFrom('127.0.0.1', '10.0.0.8', '[::1]', '[fe80::1]'))
    .map((name) => ({ kind: 'exact' as const, name })),
);

const name = fc.constantFrom('jean', 'mary', 'a.b', 'file.read', '#build', '__orchestrator__');
const nameTarget: fc.Arbitrary<NameTarget> = fc.oneof(
  fc.constant({ kind: 'any' as const }),
  name.map((each) => ({ kind: 'name' as const, name: each })),
  fc.constantFrom('file.', 'a.', 'a.b.').map((prefix) => ({ kind: 'prefix' as const, prefix })),
);

/** Also what looks like the beginning of others, and what has to be written otherwise. */
const programPath = fc.constantFrom('/workspace/a.sh', '/workspace/a.*', '/a b/%', '/a', '/*');
const programTarget: fc.Arbitrary<NameTarget> = fc.oneof(
  { weight: 2, arbitrary: nameTarget },
  programPath.map((each) => ({ kind: 'name' as const, name: each })),
);

function anyTarget(resource: Resource): fc.Arbitrary<CapabilityTarget> {
  const path = fc.record({
    kind: fc.constant('path' as const),
    segments: fc.array(segment, { maxLength: 4 }),
    subtree: fc.boolean(),
  });
  if (resource === 'file') return path;
  if (resource === 'memory') {
    // A lone `*` is everything, and no path is empty.
    const some = path.filter(
      ({ segments, subtree }) =>
        segments.length + Number(subtree) > 0 &&
        !(segments.length === 1 && segments[0] === 'any' && !subtree),
    );
    return fc.oneof(some, fc.constant({ kind: 'any' as const }));
  }
  if (resource === 'shell') return programTarget;
  if (resource !== 'http') return nameTarget;
  return fc.record({
    kind: fc.constant('url' as const),
    host,
    port: fc.constantFrom(443, 80, 8443),
    segments: fc.array(fileName, { maxLength: 3 }),
    below: fc.boolean(),
  });
}

function anyActions(resource: Resource): fc.Arbitrary<readonly ActionName[]> {
  const known: readonly ActionName[] = actionsOf[resource];
  const some = fc
    .subarray([...known], { minLength: 1 })
    .map((actions) =>
      actions.filter(
        (action) => !actions.some((other) => other !== action && implies(resource, other, action)),
      ),
    );
  return fc.oneof(some, fc.constant(['*' as const]));
}

const rate: fc.Arbitrary<Rate> = fc.record({
  count: fc.integer({ min: 1, max: 200 }),
  per: fc.constantFrom(...(Object.keys(rateUnitMs) as RateUnit[])),
});

function anyConstraints(resource: Resource): fc.Arbitrary<Constraints> {
  const programs = fc
    .subarray(['cat', 'grep', 'ls', 'rm', '/workspace/a.sh', '/a,b'], { minLength: 1 })
    .map((names) => names.toSorted());
  return fc.record(
    {
      timeoutMs: fc.integer({ min: 1, max: 100_000 }),
      rate,
      max: fc.nat({ max: 9 }),
      ...(resource === 'shell' ? { allowlist: programs } : {}),
      sizeBytes: fc.integer({ min: 1, max: 5_000_000 }),
      expires: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    },
    { requiredKeys: [] },
  );
}

export function anyCapability(only: readonly Resource[] = resources): fc.Arbitrary<Capability> {
  return fc.constantFrom(...only).chain((resource) =>
    fc.record({
      resource: fc.constant(resource),
      target: anyTarget(resource),
      actions: anyActions(resource),
      constraints: anyConstraints(resource),
    }),
  );
}

/** What might be done, often of the names that the capabilities have. */
export function anyAction(only: readonly Resource[] = resources): fc.Arbitrary<Action> {
  return fc.constantFrom(...only).chain((resource): fc.Arbitrary<Action> => {
    const action = fc.constantFrom<ActionName>(...actionsOf[resource]);
    const path = fc.array(fileName, { maxLength: 5 });
    if (resource === 'file' || resource === 'memory') {
      return fc.record({ resource: fc.constant(resource), action, path });
    }
    const names =
      resource === 'shell' ? fc.oneof(fc.constantFrom('ls', 'rm', 'jean'), programPath) : name;
    if (resource !== 'http') {
      return fc.record({ resource: fc.constant(resource), action, name: names });
    }
    return fc.record({
      resource: fc.constant(resource),
      action,
      host: fc.oneof(domain, fc.constantFrom('127.0.0.1', '10.0.0.8', '[::1]', '[fe80::1]')),
      port: fc.constantFrom(443, 80, 8443),
      path,
      everyPath: fc.boolean(),
    });
  });
}
