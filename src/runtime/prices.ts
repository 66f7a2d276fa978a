/** What models cost, as the settings say. */

/** Millionths of a dollar for a token, which is dollars for a million of them. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export interface Prices {
  /** Undefined where nobody knows. */
  of(model: string): Price | undefined;
}

/** From `anthropic:claude-…=3/15 ollama:*=0/0`: dollars for a million tokens in, and out. */
export function pricesFrom(text: string): Prices {
  const prices = new Map<string, Price>();
  for (const pair of text.split(' ')) {
    const [, model, input, output] = /^(.+)=([\d.]+)\/([\d.]+)$/.exec(pair) ?? [];
    if (model !== undefined) prices.set(model, { input: Number(input), output: Number(output) });
  }
  return {
    of: (model) =>
      model.startsWith('scripted:') ? free : (prices.get(model) ?? byProvider(prices, model)),
  };
}

const free: Price = { input: 0, output: 0 };

/** `ollama:*` is for all of that provider. */
function byProvider(prices: ReadonlyMap<string, Price>, model: string): Price | undefined {
  return prices.get(`${model.slice(0, model.indexOf(':'))}:*`);
}

/** In millionths of a dollar, rounded up: a budget is never underestimated. */
export function costOf(
  price: Price | undefined,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined {
  if (price === undefined) return undefined;
  return Math.ceil(inputTokens * price.input + outputTokens * price.output);
}
