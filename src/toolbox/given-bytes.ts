/** What a call brings as a text or as base64, as bytes that are read once. */
export async function* givenBytes({
  content,
  content_base64: base64,
}: {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
}): AsyncGenerator<Uint8Array, void, void> {
  yield content === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(content, 'utf8');
}
