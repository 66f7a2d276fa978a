/** How many tokens a text has, about, before a vendor has counted them. */
import type { ModelMessage, OfferedTool } from '../agent/model.ts';

const bytesPerToken = 3;
/** For what vendors put around each message and each tool. */
const frameTokens = 8;

/** How many tokens a text has at most, near enough: vendors count a little fewer. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

export function estimateMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'system':
    case 'user':
      return frameTokens + estimateTokens(message.text);
    case 'assistant':
      return message.parts.reduce(
        (sum, part) =>
          sum +
          frameTokens +
          estimateTokens(part.kind === 'tool-call' ? (JSON.stringify(part.args) ?? '') : part.text),
        frameTokens,
      );
    case 'tool':
      return message.results.reduce(
        (sum, { text }) => sum + frameTokens + estimateTokens(text),
        frameTokens,
      );
  }
}

export function estimatePrompt(
  messages: readonly ModelMessage[],
  tools: readonly OfferedTool[],
): number {
  return (
    messages.reduce((sum, message) => sum + estimateMessage(message), 0) +
    tools.reduce((sum, tool) => sum + estimateTool(tool), 0)
  );
}

// A tool is offered in every turn, and its schema does not change.
const ofTools = new WeakMap<OfferedTool, number>();

function estimateTool(tool: OfferedTool): number {
  const known = ofTools.get(tool);
  if (known !== undefined) return known;
  const tokens =
    frameTokens + estimateTokens(tool.name + tool.summary + JSON.stringify(tool.inputSchema));
  ofTools.set(tool, tokens);
  return tokens;
}
