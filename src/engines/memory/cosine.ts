/**
 * Of two vectors of unit length, the second of which begins somewhere in a longer list. By index:
 * `for … of` takes five times as long, and this is done for each vector there is.
 */
export function cosine(unit: Float32Array, list: Float32Array, begin: number): number {
  let sum = 0;
  for (let index = 0; index < unit.length; index++) {
    sum += (unit[index] ?? 0) * (list[begin + index] ?? 0);
  }
  return sum;
}
