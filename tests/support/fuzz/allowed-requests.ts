/** Requests as the document allows them. */
import type { Dice } from '../../sim/dice.ts';
import type { DescribedOperation } from './described-operations.ts';
import type { Draft, FuzzWorld, Wish } from './fuzz-world.ts';
import { makerOf } from './likely-values.ts';
import { oddPathParts } from './odd-texts.ts';
import { jsonText, type Maker, validValue } from './schema-values.ts';

export function allowed(world: FuzzWorld, wish: Wish): Draft {
  const { dice, operation, isOdd } = wish;
  const maker = makerOf(world, wish);
  const draft: Draft = {
    method: operation.method,
    ...{ path: {}, query: [], headers: [], body: undefined, type: undefined },
    ...{ forbidden: undefined, about: isOdd ? 'odd values' : 'allowed' },
  };
  for (const parameter of operation.parameters) {
    const { name, in: where, required } = parameter;
    if (!required && !(where === 'header' ? dice.chance(8) : maker.isSent(name))) continue;
    const value = String(validValue(maker, parameter.schema, name));
    if (where === 'path') draft.path[name] = encodeURIComponent(value.toWellFormed());
    else if (where === 'query') draft.query.push([name, encodeURIComponent(value.toWellFormed())]);
    // The others cannot stand in a header.
    else draft.headers.push([name, value.replace(/[^\x20-\x7e]/g, '')]);
  }
  if (isOdd) oddPath(dice, operation, draft);
  addBody(world, maker, operation, draft);
  addAccept(dice, operation, draft);
  return draft;
}

function oddPath(dice: Dice, { parameters }: DescribedOperation, draft: Draft): void {
  for (const { name, in: where } of parameters) {
    if (where === 'path' && dice.chance(60)) draft.path[name] = dice.pick(oddPathParts);
  }
}

function addBody(world: FuzzWorld, maker: Maker, { body }: DescribedOperation, draft: Draft): void {
  const { dice } = maker;
  if (body.kind === 'bytes') {
    draft.type = 'application/octet-stream';
    draft.body = Buffer.alloc(dice.pick([0, 1, 64, 4096]), dice.below(256));
  }
  if (body.kind !== 'json') return;
  const value = validValue(maker, body.schema);
  draft.type = 'application/json';
  draft.body = Buffer.from(jsonText(value));
  // Such as one of two shapes that exclude each other.
  if (world.check(body.pointer)(value) !== true) draft.forbidden = 'a body that does not fit';
}

function addAccept(dice: Dice, { id }: DescribedOperation, draft: Draft): void {
  if (id === 'events' || id === 'operationLogs') {
    draft.headers.push(['Accept', dice.pick(['application/json', 'text/event-stream'])]);
  }
  if (id === 'ws' && dice.chance(70)) draft.headers.push(...upgradeHeaders);
}

const upgradeHeaders = [
  ...([['Connection', 'Upgrade'] as const, ['Upgrade', 'websocket'] as const] as const),
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
] as const;
