/** What http.fetch needs from outside. */
import type { Clock, Resolver } from '../../kernel/ports.ts';
import type { FileDeps } from '../file/read.ts';

export interface HttpDeps {
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly secrets: HttpSecrets;
  /** For what is saved instead of shown. */
  readonly files: FileDeps;
  /** The certificates that count, as PEM; those that come with Node where nothing is said. */
  readonly authorities?: readonly string[] | undefined;
}

export interface HttpSecrets {
  /** Those that were set for exactly this host and port. */
  boundTo(host: string, port: number): readonly HttpSecret[];
  readonly scrubber: HttpScrubber;
}

export interface HttpSecret {
  readonly name: string;
  /** The one header it may stand in, in small letters. */
  readonly header: string;
  value(): string;
  /** The value as the header has it where the caller says nothing else: behind `Bearer `, say. */
  headerValue(): string;
}

export interface HttpScrubber {
  scrubText(text: string): string;
  scrubStream(parts: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}
