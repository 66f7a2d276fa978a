/**
 * Whether one capability allows nothing that another does not. Where that cannot be proven
 * it is not so.
 */
import {
  type Capability,
  type CapabilityTarget,
  type Constraints,
  type Host,
  implies,
  type PathTarget,
  type Rate,
  rateUnitMs,
  type UrlTarget,
} from './capability.ts';

export function isNarrower(child: Capability, parent: Capability): boolean {
  return (
    child.resource === parent.resource &&
    child.actions.every((action) =>
      parent.actions.some((held) => implies(parent.resource, held, action)),
    ) &&
    isTargetWithin(child.target, parent.target) &&
    areTighter(child.constraints, parent.constraints)
  );
}

/** What is not said is as the parent has it. */
export function inheritConstraints(child: Capability, parent: Capability): Capability {
  return { ...child, constraints: { ...parent.constraints, ...child.constraints } };
}

function isTargetWithin(child: CapabilityTarget, parent: CapabilityTarget): boolean {
  if (parent.kind === 'any') return true;
  if (child.kind === 'path') return parent.kind === 'path' && isPathWithin(child, parent);
  if (child.kind === 'url') return parent.kind === 'url' && isUrlWithin(child, parent);
  return isNameWithin(child, parent);
}

function isPathWithin(child: PathTarget, parent: PathTarget): boolean {
  const [inner, outer] = [child.segments, parent.segments];
  if (parent.subtree ? inner.length < outer.length : inner.length !== outer.length) return false;
  if (child.subtree && !parent.subtree) return false;
  return outer.every((segment, index) => {
    if (segment === 'any') return true;
    const own = inner[index];
    return own !== undefined && own !== 'any' && own.name === segment.name;
  });
}

function isUrlWithin(child: UrlTarget, parent: UrlTarget): boolean {
  if (child.port !== parent.port || !isHostWithin(child.host, parent.host)) return false;
  const [inner, outer] = [child.segments, parent.segments];
  if (parent.below ? inner.length < outer.length : inner.length !== outer.length) return false;
  if (child.below && !parent.below) return false;
  return outer.every((name, index) => inner[index] === name);
}

function isHostWithin(child: Host, parent: Host): boolean {
  if (parent.kind === 'any') return true;
  if (child.kind === 'any') return false;
  if (parent.kind === 'exact') return child.kind === 'exact' && child.name === parent.name;
  if (child.kind === 'exact') return child.name.endsWith(`.${parent.of}`);
  return child.of === parent.of || child.of.endsWith(`.${parent.of}`);
}

function isNameWithin(child: CapabilityTarget, parent: CapabilityTarget): boolean {
  if (child.kind === 'any') return false;
  if (parent.kind === 'name') return child.kind === 'name' && child.name === parent.name;
  if (parent.kind !== 'prefix') return false;
  const start = child.kind === 'name' ? child.name : child.kind === 'prefix' ? child.prefix : '';
  return start.startsWith(parent.prefix);
}

function areTighter(child: Constraints, parent: Constraints): boolean {
  return (
    isAtMost(child.timeoutMs, parent.timeoutMs) &&
    isAtMost(child.max, parent.max) &&
    isAtMost(child.sizeBytes, parent.sizeBytes) &&
    isAtMost(child.expires, parent.expires) &&
    isRarer(child.rate, parent.rate) &&
    isSubset(child.allowlist, parent.allowlist)
  );
}

function isAtMost(child: number | undefined, parent: number | undefined): boolean {
  return parent === undefined || (child !== undefined && child <= parent);
}

function isSubset(
  child: readonly string[] | undefined,
  parent: readonly string[] | undefined,
): boolean {
  if (parent === undefined) return true;
  return child?.every((name) => parent.includes(name)) === true;
}

/** In any stretch of time as long as the parent's, the child gives no more than the parent. */
function isRarer(child: Rate | undefined, parent: Rate | undefined): boolean {
  if (parent === undefined) return true;
  if (child === undefined) return false;
  const [own, whole] = [rateUnitMs[child.per], rateUnitMs[parent.per]];
  if (own >= whole) return child.count <= parent.count;
  // One more of its own stretches may have begun before and one may end after.
  return (whole / own + 1) * child.count <= parent.count;
}
