/** The framework, set up by the contract: every route is checked, admitted and counted alike. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { closest } from '../../kernel/text/suggest.ts';
import type { Verb } from '../../verbs/verb.ts';
import { type RouteName, routes } from '../contract/contract.ts';
import type { Call, Handles } from '../routes/handlers.ts';
import type { Admittance } from './admit.ts';
import { answerOnce, takesKeys } from './answer-once.ts';
import type { Caller } from './authenticate.ts';
import { doorOf } from './connections.ts';
import type { GatewayLimits, GatewayLog } from './deps.ts';
import type { Idempotency } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import {
  badMedia,
  hiddenBug,
  knownFailure,
  problemHeaders,
  problemOf,
  wrongMethod,
} from './problem.ts';
import type { Refusals } from './refusals.ts';
import { type RequestIds, requestSchema, schemaCompiler } from './request-head.ts';
import type { SignedCall } from './signed-callers.ts';
import {
  beginSigned,
  legacyCaller,
  otherBody,
  type SignedRoute,
  signedHooks,
} from './signed-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until the request was admitted. */
    caller: Caller | undefined;
    /** Of a request that is signed. */
    signed: SignedCall | undefined;
    /** It was let in by the weak form of a signature. */
    isWeak: boolean;
  }
}

export interface AppDeps {
  readonly admittance: Admittance;
  readonly refusals: Refusals;
  readonly metrics: Metrics;
  readonly log: GatewayLog;
  readonly limits: GatewayLimits;
  readonly idempotency: Idempotency;
  readonly requestIds: RequestIds;
  readonly commonHeaders: Readonly<Record<string, string>>;
}

export async function createApp(
  deps: AppDeps,
  handles: Handles<RouteName>,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: deps.limits.bodyBytes,
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => deps.requestIds.of(headers),
    routerOptions: { maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => answerFailure(deps, error, request, reply),
  });
  app.setValidatorCompiler(schemaCompiler());
  app.decorateRequest('caller', undefined);
  app.decorateRequest('signed', undefined);
  app.decorateRequest('isWeak', false);
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler((error, request, reply) => answerFailure(deps, error, request, reply));
  for (const name of routeNames) {
    const route: Verb = routes[name];
    if (route.streams === true) addStreamingRoute(app, deps, name, handles);
    else addRoute(app, deps, name, handles);
  }
  addUnknownRoute(app, deps);
  await app.ready();
  return app;
}

const routeNames = Object.keys(routes) as RouteName[];

function addRoute(
  app: FastifyInstance,
  deps: AppDeps,
  name: RouteName,
  handles: Handles<RouteName>,
): void {
  const route: Verb = routes[name];
  // The contract's schemas have been checked when it is called, so a call is what its
  // route says: the one place where what came over the wire gets its type.
  const handle = handles[name] as (call: Call<RouteName>) => unknown;
  const isKeyed = takesKeys(route);
  app.route({
    method: methodsOf(route),
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: requestSchema(route),
    bodyLimit: route.bodyBytes ?? deps.limits.bodyBytes,
    onRequest: admission(deps, route),
    ...signedHooks(deps, route),
    onResponse: counting(deps, route.path, route.method),
    handler: (request, reply) => {
      if (route.status !== 200) reply.code(route.status);
      if (route.contentType !== undefined) reply.type(route.contentType);
      const call: Call<RouteName> = {
        caller: callerOf(request) as never,
        params: request.params as never,
        query: request.query as never,
        body: request.body as never,
        request,
        reply,
      };
      return isKeyed && request.headers['idempotency-key'] !== undefined
        ? answerOnce(deps.idempotency, route, call, () => handle(call))
        : handle(call);
    },
  });
}

function methodsOf({ method, head }: Verb): string[] {
  return head === true ? [method, 'HEAD'] : [method];
}

/** Takes bytes, as they come, and nothing else. */
function addStreamingRoute(
  app: FastifyInstance,
  deps: AppDeps,
  name: RouteName,
  handles: Handles<RouteName>,
): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    const { streamType = bytesType }: Verb = routes[name];
    scope.addContentTypeParser(streamType, (_request, _payload, parsed) => parsed(null));
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(notBytes(streamType)));
    addRoute(scope, deps, name, handles);
    done();
  });
}

const bytesType = 'application/octet-stream';

function notBytes(wanted: string): AosError {
  const what = wanted === bytesType ? 'a stream of bytes' : `a stream of ${wanted}`;
  return badMedia(`The body is not ${what}`, `Send "Content-Type: ${wanted}"`);
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === undefined) throw new Error('a request reached its route without being admitted');
  return caller;
}

type Done = (error?: Error) => void;

// Callbacks, not promises: most requests are admitted at once, and this is their whole way.
function admission({ admittance, refusals, commonHeaders }: AppDeps, route: SignedRoute) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    reply.headers(commonHeaders);
    reply.header('x-request-id', request.id);
    const pass = (caller: Caller): void => {
      request.caller = caller;
      done();
    };
    const refuse = (failure: unknown): void => {
      if (failure instanceof AosError) refusals.add(doorOf(request.raw.socket), failure);
      done(failure instanceof Error ? failure : new Error(String(failure)));
    };
    let caller: Caller | Promise<Caller>;
    try {
      const signed = beginSigned(admittance, request, route);
      if (signed !== undefined) {
        // Who it is may be known only once its body has come.
        signed.then((known) => (known === undefined ? done() : pass(known)), refuse);
        return;
      }
      caller =
        legacyCaller(admittance, request, route) ??
        admittance.admit(doorOf(request.raw.socket), request.headers, route);
    } catch (failure) {
      refuse(failure);
      return;
    }
    if (caller instanceof Promise) caller.then(pass, refuse);
    else pass(caller);
  };
}

function counting({ metrics }: AppDeps, path: string, method: string) {
  const count = metrics.answersOf(path, method);
  return (_request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    count(reply.statusCode, reply.elapsedTime);
    done();
  };
}

function answerFailure(
  { log, commonHeaders }: AppDeps,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (isHungUp(thrown, request)) {
    // A client that sent half a request and left hears nothing, and it is not logged.
    reply.hijack();
    return;
  }
  const failure = knownFailure(thrown);
  const known = failure?.code === 'gateway.too-large' ? failure : (otherBody(request) ?? failure);
  if (known === undefined) log.error({ err: thrown, request_id: request.id }, 'a request broke');
  const error = known ?? hiddenBug(request.id);
  const problem = problemOf(error);
  reply.code(problem.status).headers(commonHeaders).headers(problemHeaders(error));
  // Also to who did not come as far as admission.
  reply.header('x-request-id', request.id);
  const send = (): void => void reply.send(JSON.stringify(problem));
  if (error.code === 'gateway.too-large') onceTaken(request, reply, send);
  else send();
}

/**
 * Who is still sending a body would not read the answer, and find the connection broken. So
 * the rest is dropped as it comes, for as long as a request may take.
 */
function onceTaken({ raw, headers }: FastifyRequest, reply: FastifyReply, then: () => void): void {
  reply.removeHeader('connection');
  // Who waits to be told to go on sends nothing before.
  if (raw.complete || raw.destroyed || headers.expect !== undefined) {
    then();
    return;
  }
  let isDone = false;
  const once = (): void => {
    if (!isDone) then();
    isDone = true;
  };
  raw.once('end', once).once('close', once).resume();
}

function isHungUp(thrown: unknown, { raw }: FastifyRequest): boolean {
  return raw.errored !== null && raw.errored === thrown;
}

function addUnknownRoute(app: FastifyInstance, deps: AppDeps): void {
  app.route({
    method: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
    url: '*',
    onRequest: admission(deps, { who: 'any' }),
    onResponse: counting(deps, 'unknown', 'any'),
    handler: ({ url, method }) => {
      throw unknownRoute(url, method);
    },
  });
  // Methods that no framework knows. The caller is not known either.
  app.setNotFoundHandler(({ method }) => {
    throw new AosError('gateway.unknown-route', {
      message: `There is nothing here for ${method}`,
      fix: 'Look at /docs for what there is',
    });
  });
}

function unknownRoute(url: string, method: string): AosError {
  const [path = ''] = url.split('?', 1);
  const all: readonly Verb[] = Object.values(routes);
  const methods = all.filter((route) => matches(route.path, path)).flatMap(methodsOf);
  // One that is among them has come here by a part of its path that is too long.
  if (methods.length > 0 && !methods.includes(method)) {
    const words = `${quote(path)} is not there for ${method}, only for ${methods.join(' and ')}`;
    return wrongMethod(words, methods);
  }
  const near = closest(path, new Set(all.map((route) => route.path)));
  return new AosError('gateway.unknown-route', {
    message: `There is nothing at ${quote(path.slice(0, 200))}.${near === undefined ? '' : ` Did you mean ${quote(near)}?`}`,
    fix: 'Look at /docs for what there is',
  });
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  );
}
