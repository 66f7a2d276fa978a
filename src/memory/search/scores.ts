/** A score for each row of a ground that has one. */
export class Scores {
  readonly #values: Float64Array;
  /** Each once, in the order in which they got one. */
  readonly rows: number[] = [];

  constructor(rows: number) {
    this.#values = new Float64Array(rows);
  }

  of(row: number): number {
    return this.#values[row] ?? 0;
  }

  add(row: number, score: number): void {
    if (this.#values[row] === 0) this.rows.push(row);
    this.#values[row] = this.of(row) + score;
  }

  /** Each by what its row is multiplied by. */
  multiply(factorOf: (row: number) => number): this {
    for (const row of this.rows) this.#values[row] = this.of(row) * factorOf(row);
    return this;
  }
}
