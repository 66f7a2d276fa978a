/** How many tokens go in and out of one call together, where nobody has said it. */
const knownSizes: readonly (readonly [prefix: string, tokens: number])[] = [
  ['anthropic:', 200_000],
  ['openai:gpt-3.5', 16_385],
  ['openai:gpt-4.1', 1_047_576],
  ['openai:gpt-4o', 128_000],
  ['openai:gpt-4-turbo', 128_000],
  ['openai:gpt-4', 8192],
  ['openai:gpt-5', 272_000],
  ['openai:o', 200_000],
  ['openai:', 128_000],
];

/** Servers of one's own give less than the model could unless they are told to. */
const endpointTokens = 32_768;

export function contextTokensOf(id: string, told: Readonly<Record<string, number>> = {}): number {
  const provider = id.split(':', 1)[0] ?? '';
  const said = own(told, id) ?? own(told, provider);
  if (said !== undefined) return said;
  const name = id.replace(/^openai-chat:/, 'openai:');
  return knownSizes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? endpointTokens;
}

function own(told: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(told, name) ? told[name] : undefined;
}
