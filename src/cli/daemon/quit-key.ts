/** The key "q", and Ctrl-C, while something is shown; disposing gives the keyboard back. */
export function quitKey(): { readonly signal: AbortSignal } & AsyncDisposable {
  const controller = new AbortController();
  const { stdin } = process;
  const onKeys = (keys: Uint8Array): void => {
    // Keys come one at a time, and Ctrl-C is one of them.
    if (keys.includes(0x71) || keys.includes(0x03)) controller.abort();
  };
  if (stdin.isTTY === true) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
  }
  return {
    signal: controller.signal,
    async [Symbol.asyncDispose]() {
      if (stdin.isTTY !== true) return;
      stdin.setRawMode(false);
      stdin.off('data', onKeys);
      stdin.pause();
    },
  };
}
