/** `0x` and two small digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Undefined unless the text is `0x` and the hex of exactly that many bytes. */
export function fromHex(text: string, sizeBytes: number): Uint8Array | undefined {
  if (text.length !== 2 + 2 * sizeBytes || !/^0x[0-9a-fA-F]*$/.test(text)) return undefined;
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}
