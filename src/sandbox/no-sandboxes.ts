/** A system on which there is no wall: nothing is run. */
import type { HeldSandboxBody, Sandboxes, SandboxState } from '../kernel/sandbox.ts';
import { unavailable } from './view/unavailable.ts';

export class NoSandboxes implements Sandboxes {
  readonly #state: Extract<SandboxState, { kind: 'unavailable' }>;

  constructor(platform: string) {
    this.#state = {
      kind: 'unavailable',
      says: `there is no sandbox for ${platform}`,
      fix: 'use Linux with bubblewrap, or macOS',
    };
  }

  async state(): Promise<SandboxState> {
    return this.#state;
  }

  examine(): Promise<SandboxState> {
    return this.state();
  }

  async run(): Promise<never> {
    throw unavailable(this.#state);
  }

  checkView(): void {}

  async prepareBody(): Promise<never> {
    throw unavailable(this.#state);
  }

  holdBody(): HeldSandboxBody {
    return { ended: () => undefined, [Symbol.dispose]: () => {} };
  }

  async discard(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
