/** Whether an answer is one that the document allows for what was asked. */
import type { ValidateFunction } from 'ajv';
import type { FuzzRequest, PrincipalName } from './fuzz-world.ts';
import type { RawAnswer } from './kept-connection.ts';

export interface VerdictDeps {
  check(pointer: string): ValidateFunction;
  /** What the log says of the request of this id. */
  loggedOf(requestId: string): string;
  /** Operations that refuse a body by what they answer, and not by the code of HTTP: why. */
  readonly refuseInAnswer: Readonly<Record<string, string>>;
}

/** What is wrong with it; undefined when nothing is. */
export function faultOf(
  deps: VerdictDeps,
  { operation, party, forbidden, raw }: FuzzRequest,
  answer: RawAnswer,
): string | undefined {
  const { status } = answer;
  const isGood = status >= 100 && status < 300;
  if (status === 500) return `broke: ${deps.loggedOf(answer.headers.get('x-request-id') ?? '')}`;
  const isTaken = isGood && !(operation.id in deps.refuseInAnswer && saysError(answer));
  if (isTaken && forbidden !== undefined) return `answered ${status} to what is forbidden`;
  if (isGood && !mayCall(operation, party)) return `answered ${status} to ${party}`;
  if (!answer.headers.has('x-request-id') && status !== 101) return 'has no X-Request-Id';
  if (raw.method === 'HEAD') return undefined;
  return status >= 400 && status !== 416
    ? problemFault(deps, answer)
    : contentFault(deps, operation.answers.get(String(status)), answer);
}

function saysError(answer: RawAnswer): boolean {
  const json = jsonOf(answer);
  const { status = undefined, error = undefined } = { ...(json as Record<string, unknown>) };
  return status === 'error' && typeof error === 'object';
}

function mayCall(
  { isOpen, isForOwner, isForOutsiders }: FuzzRequest['operation'],
  party: PrincipalName,
): boolean {
  if (party === 'owner' || isOpen) return true;
  if (party === 'agent') return !isForOwner;
  return party === 'outsider' && isForOutsiders;
}

const problemPointer = '/components/schemas/Problem';

function problemFault({ check }: VerdictDeps, answer: RawAnswer): string | undefined {
  const type = answer.headers.get('content-type');
  if (type !== 'application/problem+json; charset=utf-8') {
    return `a problem (${answer.status}) of type ${type}: ${shown(answer)}`;
  }
  const problem = jsonOf(answer);
  const checked = check(problemPointer);
  if (checked(problem) !== true) return `no Problem: ${why(checked)} in ${shown(answer)}`;
  const { status, code } = problem as { readonly status: number; readonly code: string };
  if (code === 'internal.bug') return 'internal.bug';
  return status === answer.status ? undefined : `a problem of ${status} answered ${answer.status}`;
}

function contentFault(
  { check }: VerdictDeps,
  types: ReadonlyMap<string, string> | undefined,
  answer: RawAnswer,
): string | undefined {
  if (types === undefined) return `answered ${answer.status}, which is not described`;
  if (types.size === 0) return answer.body.length === 0 ? undefined : 'a body where none is';
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'none';
  const pointer = types.get(type);
  if (pointer === undefined) return `answered ${type}, which is not described`;
  if (type !== 'application/json') return undefined;
  const checked = check(pointer);
  const json = jsonOf(answer);
  return checked(json) === true ? undefined : `does not fit: ${why(checked)} in ${shown(answer)}`;
}

function why({ errors }: ValidateFunction): string {
  const [first] = errors ?? [];
  return `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
}

export function jsonOf({ body }: RawAnswer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // Whoever holds it against a schema finds that it is nothing.
    return undefined;
  }
}

function shown({ body }: RawAnswer): string {
  return body.toString().slice(0, 300);
}
