import type { LookBase, SkippedFile } from '../../../kernel/files/look.ts';

const mostTold = 100;

/** What could not be looked into, and is told. */
export class Skips {
  readonly #base: string;
  readonly #told: SkippedFile[] = [];
  readonly #seen = new Set<string>();

  constructor(base: LookBase) {
    this.#base = base.path === '/' ? '' : base.path;
  }

  /** Once each, also where it was found by its name and by its text. */
  add(parts: readonly string[], why: SkippedFile['why']): void {
    const path = `${this.#base}/${parts.join('/')}`;
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    if (this.#told.length < mostTold) this.#told.push({ path, why });
  }

  told(): { readonly skipped: readonly SkippedFile[]; readonly skippedTotal: number } {
    return { skipped: this.#told, skippedTotal: this.#seen.size };
  }
}
