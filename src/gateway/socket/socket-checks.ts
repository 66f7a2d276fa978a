/** The checks of what comes over a WebSocket: the contract's schemas, compiled at first use. */
import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import type { AosError } from '../../kernel/errors.ts';
import type { WireOutgoing } from '../contract/contract.ts';
import {
  type SocketRequest,
  type SocketRequestType,
  socketMessageSchema,
  socketRequests,
} from '../contract/socket.ts';
import { badRequest, knownFailure } from '../server/problem.ts';
import { ContractSchema } from '../server/request-head.ts';

export type Checked<T> =
  | { readonly kind: 'good'; readonly value: T }
  | { readonly kind: 'bad'; readonly error: AosError };

type Check<T> = (value: unknown) => Checked<T>;

export type SocketChecks = {
  readonly [Type in SocketRequestType]: Check<SocketRequest<Type>>;
} & { readonly outgoing: Check<WireOutgoing> };

/** By the framework's own compiler, so that both ways in have the same rules and words. */
export function compileSocketChecks(app: FastifyInstance): SocketChecks {
  const { validatorCompiler } = app;
  if (validatorCompiler === undefined) throw new Error('the framework checks nothing yet');
  const compile = <T>(schema: z.ZodType<T>, what: string): Check<T> => {
    const validate = validatorCompiler({
      schema: new ContractSchema(schema),
      method: 'GET',
      url: '/api/v1/ws',
      httpPart: 'body',
    });
    return (value) => {
      // The schema has just been checked, which gives it its type.
      if (validate(value) === true) return { kind: 'good', value: value as T };
      return { kind: 'bad', error: badShape(validate.errors, what) };
    };
  };
  return {
    ping: compile(socketRequests.ping, 'message'),
    send: compile(socketRequests.send, 'message'),
    attach: compile(socketRequests.attach, 'message'),
    detach: compile(socketRequests.detach, 'message'),
    read: compile(socketRequests.read, 'message'),
    outgoing: compile(socketMessageSchema, 'message'),
  };
}

function badShape(errors: unknown, what: string): AosError {
  const thrown = Object.assign(new Error('not as the contract says'), {
    validation: errors,
    validationContext: what,
  });
  return knownFailure(thrown) ?? badRequest(`The ${what} is not valid`);
}
