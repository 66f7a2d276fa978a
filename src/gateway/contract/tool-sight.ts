/** What whoever calls a tool and looks on sees of it: the same on both sides of the wire. */
import type { ShownPart } from '../../kernel/text/shown-output.ts';
import type { Answer } from './contract.ts';

export type ToolSight =
  | ({ readonly kind: 'output' } & ShownPart)
  /** So much came faster than it was read, and is in the result only. */
  | { readonly kind: 'dropped'; readonly bytes: number }
  /** Comes last. */
  | { readonly kind: 'answer'; readonly answer: Answer<'callTool'> };
