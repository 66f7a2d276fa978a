/** The same direction at length one. Undefined where there is no direction in it. */
export function unitVector(numbers: ArrayLike<number>): Float32Array | undefined {
  const vector = Float32Array.from(numbers);
  let squares = 0;
  for (const part of vector) squares += part * part;
  const length = Math.sqrt(squares);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return vector.map((part) => part / length);
}
