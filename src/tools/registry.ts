/** The tools that there are. */
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import type { CallOutcome, ToolCalls } from './call.ts';
import type { Tool } from './tool.ts';

const lawfulName = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();
  #calls: ToolCalls | undefined;

  /** A name that is taken, or is none, is a mistake in the tool's code. */
  register(tool: Tool): void {
    if (!lawfulName.test(tool.name)) throw new Error(`${tool.name} is no name of a tool`);
    if (this.#tools.has(tool.name)) throw new Error(`there is a tool ${tool.name} already`);
    this.#tools.set(tool.name, tool);
  }

  /** Throws `tool.unknown`. */
  get(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    throw new AosError('tool.unknown', {
      message: `There is no tool ${quote(name.slice(0, 100))}.${didYouMean(name, [...this.#tools.keys()])}`,
      fix: 'aos tool ls',
    });
  }

  /** By name. */
  list(): readonly Tool[] {
    return [...this.#tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Through the one door, as every call. */
  execute(name: string, params: unknown, agent: string): Promise<CallOutcome> {
    if (this.#calls === undefined) throw new Error('the registry has no door yet');
    return this.#calls.call({ principal: `agent:${agent}`, tool: name, args: params });
  }

  /** Whose door its calls go through. */
  joinTo(calls: ToolCalls): void {
    this.#calls = calls;
  }
}
