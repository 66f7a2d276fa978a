/**
 * Models by their names: `anthropic:NAME`, `openai:NAME` (the responses wire),
 * `openai-chat:NAME`, `ENDPOINT:NAME` for a server that speaks like OpenAI's, and
 * `scripted:FILE`, which is no model but a script that answers like one.
 */

import type { LanguageModel, ModelCatalog } from '../kernel/agent/model.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import { unknownProvider, unnamedModel } from './model-errors.ts';
import { boundedFetch, Limiter } from './retry.ts';
import type { Script } from './scripted/script.ts';
import { keyFor, type VendorDeps, type VendorEntry, vendorModel } from './vendor-model.ts';

export interface ModelOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: { warn(facts: object, words: string): void } | undefined;
  /** By name, the base URL of a server that speaks like OpenAI's: `http://127.0.0.1:11434/v1`. */
  readonly endpoints?: Readonly<Record<string, string>> | undefined;
  readonly anthropicUrl?: string | undefined;
  readonly openaiUrl?: string | undefined;
  /** Of a whole id, or of a provider; where nothing is said, by what is known of it. */
  readonly contextTokens?: Readonly<Record<string, number>> | undefined;
  /** Calls at a time, for each key. */
  readonly concurrency?: number | undefined;
  /** The scripts that come with the program, by name: `scripted:demo`. */
  readonly scripts?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Asked at every call, with `anthropic`, `openai` or the name of an endpoint. */
  keyOf(provider: string): Promise<string | undefined>;
  /** The text of a script file; throws when it is larger than a script may be. */
  readScript(path: string): Promise<string>;
}

const defaultConcurrency = 8;
const builtIn = ['anthropic', 'openai', 'openai-chat', 'scripted'];

export function openModels(options: ModelOptions): ModelCatalog {
  const endpoints = options.endpoints ?? {};
  refuseTakenNames(endpoints);
  const vendorDeps: VendorDeps = {
    ...options,
    fetch: boundedFetch(options.fetch ?? globalThis.fetch),
    limiterOf: limiters(options),
  };
  return {
    async open(id) {
      const { provider, name } = partsOf(id);
      if (provider === 'scripted' && name !== '') return openScript(options, id, name);
      const vendor = vendorOf(options, provider);
      if (vendor === undefined) {
        throw unknownProvider(id, [...builtIn, ...Object.keys(endpoints)]);
      }
      if (name === '') throw unnamedModel(id);
      const contextTokens = contextTokensOf(id, options.contextTokens);
      const entry: VendorEntry = { ...vendor, id, provider, model: name, contextTokens };
      await keyFor(vendorDeps, entry);
      return vendorModel(vendorDeps, entry);
    },
  };
}

// Names of models may have colons in them: `ollama:llama3.2:1b`.
function partsOf(id: string): { readonly provider: string; readonly name: string } {
  const colon = id.indexOf(':');
  if (colon === -1) return { provider: id, name: '' };
  return { provider: id.slice(0, colon), name: id.slice(colon + 1) };
}

type Vendor = Pick<VendorEntry, 'wire' | 'keyOwner' | 'baseUrl' | 'needsKey'>;

function vendorOf(options: ModelOptions, provider: string): Vendor | undefined {
  const openai = options.openaiUrl ?? 'https://api.openai.com/v1';
  switch (provider) {
    case 'anthropic': {
      const baseUrl = options.anthropicUrl ?? 'https://api.anthropic.com/v1';
      return { wire: 'anthropic', keyOwner: 'anthropic', baseUrl, needsKey: true };
    }
    case 'openai':
      return { wire: 'openai-responses', keyOwner: 'openai', baseUrl: openai, needsKey: true };
    case 'openai-chat':
      return { wire: 'openai-chat', keyOwner: 'openai', baseUrl: openai, needsKey: true };
    default: {
      const endpoints = options.endpoints ?? {};
      const baseUrl = Object.hasOwn(endpoints, provider) ? endpoints[provider] : undefined;
      if (baseUrl === undefined) return undefined;
      return { wire: 'openai-compatible', keyOwner: provider, baseUrl, needsKey: false };
    }
  }
}

// A name that means something already would quietly send a prompt elsewhere than it says.
function refuseTakenNames(endpoints: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(endpoints)) {
    if (/^[a-z][a-z0-9-]*$/.test(name) && !builtIn.includes(name)) continue;
    throw new AosError('config.bad-value', {
      message: `An endpoint for models cannot be called ${quote(name)}`,
      fix: `Choose a name of small letters, digits and hyphens that is none of ${builtIn.join(', ')}`,
    });
  }
}

/** One for each owner of a key; a changed key begins afresh, and the old one's calls end as they are. */
function limiters({ clock, random, concurrency = defaultConcurrency }: ModelOptions) {
  const known = new Map<string, { readonly key: string; readonly limiter: Limiter }>();
  return (keyOwner: string, key: string): Limiter => {
    const last = known.get(keyOwner);
    if (last?.key === key) return last.limiter;
    const limiter = new Limiter({ clock, random, concurrency });
    known.set(keyOwner, { key, limiter });
    return limiter;
  };
}

async function openScript(
  { clock, scripts = {}, readScript }: ModelOptions,
  id: string,
  name: string,
): Promise<LanguageModel> {
  const text = await scriptText(scripts, readScript, id, name);
  const { scriptedModel } = await import('./scripted/scripted-model.ts');
  const known = parsed.get(name);
  const script = known?.text === text ? known.script : await parse(text, name);
  return scriptedModel(script, { id, clock });
}

// Checking a script takes longer than reading it, and many agents may follow one.
const parsed = new Map<string, { readonly text: string; readonly script: Script }>();
const mostParsed = 100;

async function parse(text: string, name: string): Promise<Script> {
  const { parseScript } = await import('./scripted/script.ts');
  const script = parseScript(text, name);
  const [oldest] = parsed.keys();
  if (parsed.size >= mostParsed && oldest !== undefined) parsed.delete(oldest);
  parsed.set(name, { text, script });
  return script;
}

async function scriptText(
  scripts: Readonly<Record<string, string>>,
  readScript: ModelOptions['readScript'],
  id: string,
  name: string,
): Promise<string> {
  if (name.startsWith('/')) return readScriptFile(readScript, name);
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (text !== undefined) return text;
  const names = Object.keys(scripts);
  throw new AosError('model.unknown', {
    message: `No script that comes with Agent OS is called ${quote(name)}.${didYouMean(name, names)}`,
    fix: 'Give the whole path of a script file: scripted:/path/to/script.json',
    details: { model: id, scripts: names },
  });
}

async function readScriptFile(
  readScript: ModelOptions['readScript'],
  path: string,
): Promise<string> {
  try {
    return await readScript(path);
  } catch (error) {
    throw new AosError('model.bad-script', {
      message: `The script ${quote(path)} cannot be read: ${toReport(error).message}`,
      fix: 'Give the whole path of a script file that you may read: scripted:/path/to/script.json',
      cause: error,
    });
  }
}

/** How many tokens go in and out of one call together, where the settings do not say it. */
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

/** Servers that the owner runs give less than the model could unless they are told to. */
const endpointTokens = 32_768;

function contextTokensOf(id: string, sizes: Readonly<Record<string, number>> = {}): number {
  const provider = must(id.split(':', 1)[0], 'the provider of a model');
  const said = own(sizes, id) ?? own(sizes, provider);
  if (said !== undefined) return said;
  const name = id.replace(/^openai-chat:/, 'openai:');
  return knownSizes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? endpointTokens;
}

function own(sizes: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(sizes, name) ? sizes[name] : undefined;
}
