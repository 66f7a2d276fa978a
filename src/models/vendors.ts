/** The provider packages. Each is loaded when a model of its kind is first asked. */
import type { VendorModel, Wire } from './vendor-types.ts';

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
