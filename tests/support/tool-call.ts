/** A call as the door hands it to a tool, over capabilities that a test names. */
import { type Deed, decide, type GrantChain } from '../../src/kernel/capability/capability.ts';
import { parseCapability } from '../../src/kernel/capability/capability-text.ts';
import { printDeed } from '../../src/kernel/capability/sensitive-path.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Permit } from '../../src/security/permit.ts';
import type { Tool, ToolCall } from '../../src/tools/tool.ts';

export interface TestCallOptions {
  readonly capabilities: readonly string[];
  readonly principal?: string;
  readonly signal?: AbortSignal;
  readonly outputBytes?: number;
  /** Told of every deed that was permitted or refused. */
  readonly onDeed?: (deed: Deed, allowed: boolean) => void;
}

/** Runs a tool as the door would: its arguments checked, its deeds permitted first. */
export async function runTool(
  tool: Tool,
  args: unknown,
  options: TestCallOptions,
): Promise<unknown> {
  const prepared = tool.prepare(args);
  const permits = prepared.deeds.map((deed) => permitted(options, deed));
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
    permit: async (deed) => permitted(options, deed),
    may: async (deed) => decide(chainsOf(options), deed, 0).kind === 'allowed',
    approvedReason: async () => undefined,
  };
}

function permitted(options: TestCallOptions, deed: Deed): Permit {
  const verdict = decide(chainsOf(options), deed, 0);
  options.onDeed?.(deed, verdict.kind === 'allowed');
  if (verdict.kind === 'denied') {
    throw new AosError('capability.denied', { message: `It may not: ${printDeed(deed)}` });
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
