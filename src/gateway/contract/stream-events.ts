/** What a client sees of a goal that it follows, or of a tool that it calls: both sides know it. */
import type { Delta } from '../../kernel/agent/model.ts';
import type { ShownPart } from '../../kernel/text/quote.ts';
import type { CallOutput, ShowingCall } from '../../runtime/followers.ts';
import type { Answer, WireGoalSummary, WireStep } from './contract.ts';

export type GoalEvent =
  | { readonly kind: 'step'; readonly step: WireStep }
  /** Words as they come, of an answer whose step follows. */
  | { readonly kind: 'delta'; readonly delta: Delta }
  /** What a tool shows while it runs; its result is in a step that follows. */
  | ({ readonly kind: 'output' } & CallOutput)
  /** From here on, not all is seen of what this call shows. */
  | ({ readonly kind: 'dropped' } & ShowingCall)
  | ({ readonly kind: 'state' } & GoalState)
  /** The goal is over, and all of its steps have been seen. */
  | { readonly kind: 'end'; readonly state: WireGoalSummary['state'] };

export type GoalState = Pick<WireGoalSummary, 'state' | 'waits_for'>;

export type ToolEvent =
  | ({ readonly kind: 'output' } & ShownPart)
  /** So much came faster than it was read, and is in the result only. */
  | { readonly kind: 'dropped'; readonly bytes: number }
  /** Comes last. */
  | { readonly kind: 'answer'; readonly answer: Answer<'callTool'> };
