/**
 * What is said over the WebSocket at `/api/v1/ws`. Its query is that of `events`, and
 * `events=no` for a client that wants no feed.
 */
import * as z from 'zod';
import { mostInFrame, mostItems } from '../../verbs/limits.ts';
import { outgoing } from '../../verbs/messages.ts';
import type { Problem, WireEvent, WireItem } from './contract.ts';

const ref = z.optional(z.union([z.string().max(100), z.int(), z.null()]));
const as = z.optional(z.string().max(300).describe('For the owner: the agent to act for'));

/** What a client may say. An answer carries the `ref` of what it answers. */
export const socketRequests = {
  ping: z.strictObject({ type: z.literal('ping') }),
  send: z.strictObject({
    type: z.literal('send'),
    ref,
    // Each is checked by itself, so that a bad one does not keep the others back.
    messages: z.array(z.unknown()).min(1).max(mostInFrame),
  }),
  attach: z.strictObject({
    type: z.literal('attach'),
    ref,
    as,
    event_types: z.optional(z.array(z.string().max(300)).max(1000)),
    messages: z.optional(z.boolean()),
  }),
  detach: z.strictObject({ type: z.literal('detach'), ref, as }),
  read: z.strictObject({
    type: z.literal('read'),
    as,
    ids: z.array(z.string().max(100)).max(mostItems),
  }),
};

export const socketMessageSchema = outgoing;

export type SocketRequestType = keyof typeof socketRequests;
export type SocketRequest<Type extends SocketRequestType> = z.infer<(typeof socketRequests)[Type]>;
export type SocketRef = string | number | null;

export type SendResult =
  | {
      readonly id: string;
      readonly state: 'accepted' | 'duplicate';
      /** null when it had been accepted before. */
      readonly recipients: number | null;
    }
  | { readonly problem: Problem };

/** What the daemon says. */
export type SocketMessage =
  | ({ readonly type: 'event' } & WireEvent)
  | { readonly type: 'pruned'; readonly from: number; readonly to: number }
  | { readonly type: 'pong' }
  | { readonly type: 'accepted'; readonly ref: SocketRef; readonly results: readonly SendResult[] }
  | { readonly type: 'attached' | 'detached'; readonly ref: SocketRef; readonly as: string }
  | { readonly type: 'mail'; readonly items: readonly WireItem[] }
  | { readonly type: 'error'; readonly ref?: SocketRef; readonly problem: Problem };
