/** One line of docs/reliability.md: what is promised, what guards it, what proves it. */
export interface KeptPromise {
  /** Short and stable, as in `messages.durable`. */
  readonly id: string;
  readonly says: string;
  /** In `npm test`. */
  readonly guard: NamedTest;
  /** In `npm run test:full`; the same test, where it does more there. */
  readonly proof: NamedTest;
  /** A mistake that the guard, run alone, has to find. */
  readonly bug: PlantedBug;
}

export interface NamedTest {
  readonly file: string;
  /** As it stands in the file, with its %s. */
  readonly title: string;
}

export interface PlantedBug {
  readonly what: string;
  readonly file: string;
  /** Stands there once. */
  readonly find: string;
  readonly put: string;
}
