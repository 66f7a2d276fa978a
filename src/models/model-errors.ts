/** What people read when a model does not answer, and what they can do about it. */
import { AosError } from '../kernel/errors.ts';
import { must } from '../kernel/must.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import type { Failure } from './failure.ts';

/** Who is asked, as far as a sentence about it needs to know. */
export interface AskedModel {
  readonly id: string;
  /** Whose key it is: `aos secret set model.OWNER`. */
  readonly keyOwner: string;
  readonly baseUrl: string;
}

const withoutKey = 'try without a key: --model scripted:FILE (see aos demo)';

export function noKey({ id, keyOwner }: AskedModel): AosError {
  return new AosError('model.no-key', {
    message: `There is no key for ${quote(id)}`,
    fix: `aos secret set model.${keyOwner}, then run again; or ${withoutKey}`,
    details: { model: id, secret: `model.${keyOwner}` },
  });
}

export function badKey({ id, keyOwner }: AskedModel, why: string): AosError {
  return new AosError('model.bad-key', {
    message: `The key for ${quote(id)} is of no use: ${why}`,
    fix: `aos secret set model.${keyOwner}, then run again`,
    details: { model: id, secret: `model.${keyOwner}` },
  });
}

export function unknownProvider(id: string, providers: readonly string[]): AosError {
  const provider = must(id.split(':', 1)[0], 'the provider of a model');
  const known = providers.map((name) => `${name}:`).join(' ');
  return new AosError('model.unknown', {
    message: `No provider of models is called ${quote(provider)}.${didYouMean(provider, providers)}`,
    fix: `Write PROVIDER:NAME with one of these: ${known}${guess(id)}`,
    details: { model: id, providers },
  });
}

// People write the name of a model alone; most names tell whose it is.
function guess(id: string): string {
  if (id.includes(':')) return '';
  if (/^claude/i.test(id)) return `, such as anthropic:${id}`;
  return /^(?:gpt|o\d)/i.test(id) ? `, such as openai:${id}` : '';
}

export function unnamedModel(id: string): AosError {
  return new AosError('model.unknown', {
    message: `${quote(id)} names a provider and no model`,
    fix: `Write PROVIDER:NAME, such as ${id.replace(/:*$/, '')}:NAME`,
    details: { model: id },
  });
}

/** When nothing can be tried any more. */
export function modelError(asked: AskedModel, failure: Failure): AosError {
  const model = quote(asked.id);
  const { sentence } = failure;
  const details = { model: asked.id, said: sentence };
  switch (failure.kind) {
    case 'bad-key':
      // Some vendors repeat a part of the key in what they say; it stays out of here.
      return badKey(asked, 'the provider refuses it');
    case 'unknown-model':
      return new AosError('model.unknown', {
        message: `${asked.baseUrl} does not know the model ${model}: ${sentence}`,
        fix: 'Check the name of the model, and that this key may use it',
        details,
      });
    case 'busy':
      return new AosError('model.overloaded', {
        message: `${model} is too busy to answer: ${sentence}`,
        fix: `Run it again ${later(failure.retryAfterMs)}, or use another model`,
        details: { ...details, retry_after_ms: failure.retryAfterMs },
      });
    case 'broken':
    case 'unreachable':
      return new AosError('model.unreachable', {
        message: `${model} cannot be reached at ${asked.baseUrl}: ${sentence}`,
        fix: 'Check that it is running and that this machine can reach it, then run it again',
        details,
      });
    case 'cut-off':
      return new AosError('model.cut-off', {
        message: `The answer of ${model} broke off: ${sentence}`,
        fix: 'Run it again; what came may have cost something already',
        details,
      });
    case 'refused':
      return new AosError('model.refused', {
        message: `${model} does not take this request: ${sentence}`,
        details,
      });
  }
}

function later(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
}
