/** A call as the door hands it to a tool, over capabilities that a test names. */

import { printAction } from '../../src/kernel/capability/action-text.ts';
import { type Action, decide, type GrantChain } from '../../src/kernel/capability/capability.ts';
import { parseCapability } from '../../src/kernel/capability/capability-text.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Permit } from '../../src/security/permit.ts';
import type { Tool, ToolCall } from '../../src/tools/tool.ts';

export interface TestCallOptions {
  readonly capabilities: readonly string[];
  readonly principal?: string;
  readonly signal?: AbortSignal;
  readonly outputBytes?: number;
  /** Told of every action that was permitted or refused. */
  readonly onAction?: (action: Action, allowed: boolean) => void;
}

/** Runs a tool as the door would: its arguments checked, its actions permitted first. */
export async function runTool(
  tool: Tool,
  args: unknown,
  options: TestCallOptions,
): Promise<unknown> {
  const prepared = tool.prepare(args);
  const permits = prepared.actions.map((action) => permitted(options, action));
  return prepared.run({ ...testCall(options), permits });
}

function testCall(options: TestCallOptions): ToolCall {
  return {
    id: 'call-1',
    principal: options.principal ?? 'agent:jean',
    key: 'key-1',
    signal: options.signal ?? new AbortController().signal,
    outputBytes: options.outputBytes ?? 1024 * 1024,
    permits: [],
    permit: async (action) => permitted(options, action),
    may: async (action) => decide(chainsOf(options), action, 0).kind === 'allowed',
    approvedReason: async () => undefined,
  };
}

function permitted(options: TestCallOptions, action: Action): Permit {
  const verdict = decide(chainsOf(options), action, 0);
  options.onAction?.(action, verdict.kind === 'allowed');
  if (verdict.kind === 'denied') {
    throw new AosError('capability.denied', { message: `It may not: ${printAction(action)}` });
  }
  const [link] = verdict.chain.links;
  const target = link?.capability.target;
  const segments = target?.kind === 'path' ? target.segments : [];
  const star = segments.indexOf('any');
  return {
    sizeBytes: link?.capability.constraints.sizeBytes,
    namedParts: star === -1 ? segments.length : star,
  };
}

function chainsOf({ capabilities }: TestCallOptions): readonly GrantChain[] {
  return capabilities.map((text, index) => {
    const id = `grant-${index}`;
    return { id, links: [{ id, capability: parseCapability(text), revoked: false }] };
  });
}
