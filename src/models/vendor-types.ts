/** The shapes of the provider packages, taken off one of them: all speak the same interface. */
import type { AnthropicProvider } from '@ai-sdk/anthropic';

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
