/** Seals and opens what the journal says of operations that have a key of their own. */
export interface Bodies {
  /** As it is where the operation has no key. */
  close(operation: string, text: string): string;
  /** As it is where it is not sealed; `{"erased":…}` where its key is gone, or it was changed. */
  open(text: string): string;
  has(operation: string): boolean;
}
