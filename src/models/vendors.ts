/** The provider packages. Each is loaded when a model of its kind is first asked. */
import type { AnthropicProvider } from '@ai-sdk/anthropic';

export interface VendorAddress {
  readonly wire: Wire;
  /** The vendor's own name of the model. */
  readonly model: string;
  /** The provider's name in our ids. */
  readonly provider: string;
  readonly baseUrl: string;
}

export interface VendorAccess {
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
}

/**
 * URL and key are always given, because the packages look into the environment for what is
 * missing.
 */
export async function openVendor(
  { wire, model, provider, baseUrl }: VendorAddress,
  { key, fetch }: VendorAccess,
): Promise<VendorModel> {
  const apiKey = key ?? '';
  switch (wire) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(model);
    }
    case 'openai-chat': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const access = key === undefined ? {} : { apiKey: key };
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        includeUsage: true,
        fetch,
        ...access,
      }).chatModel(model);
    }
  }
}

// The shapes of the provider packages, taken off one of them: all speak the same interface.

/** A model of a vendor, before anything of ours is around it. */
export type VendorModel = ReturnType<AnthropicProvider['languageModel']>;

export type VendorRequest = Parameters<VendorModel['doStream']>[0];
export type VendorPrompt = VendorRequest['prompt'];
export type VendorMessage = VendorPrompt[number];
export type VendorTool = NonNullable<VendorRequest['tools']>[number];

type VendorStream = Awaited<ReturnType<VendorModel['doStream']>>['stream'];
export type VendorPart = VendorStream extends ReadableStream<infer Part> ? Part : never;

/** The ways in which a vendor is spoken to. */
export type Wire = 'anthropic' | 'openai-responses' | 'openai-chat' | 'openai-compatible';

/** Our tools have dots in their names, which no vendor takes; none of ours has a hyphen. */

const longestName = 64;

export function vendorToolName(tool: string): string {
  const name = tool
    .replaceAll('.', '-')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, longestName);
  return name === '' ? 'unnamed' : name;
}

/** What a model made up is passed on too: the door to the tools answers it. */
export function ourToolName(vendorName: string): string {
  return vendorName.replaceAll('-', '.');
}
