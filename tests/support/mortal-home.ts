/** A home whose daemon is killed and started again, while its agents stay who they are. */
import type { Client } from '../../src/gateway/client/client.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { callerOn, grantAll } from './tool-home.ts';

export class MortalHome implements AsyncDisposable {
  readonly folder: TemporaryFolder = temporaryFolder();
  readonly #handles = new Map<string, string>();
  #daemon: RunningDaemon | undefined;

  static async withAgents(...names: readonly string[]): Promise<MortalHome> {
    await using opened = new AsyncDisposableStack();
    const home = opened.use(new MortalHome());
    await home.start();
    for (const name of names) {
      home.#handles.set(name, (await home.client.register(name)).handle);
    }
    opened.move();
    return home;
  }

  get path(): string {
    return this.folder.at('home');
  }

  get daemon(): RunningDaemon {
    if (this.#daemon === undefined) throw new Error('the daemon was not started');
    return this.#daemon;
  }

  /** As the owner, over the daemon that runs now. */
  get client(): Client {
    return this.daemon.client;
  }

  /** As an agent, over its socket of the daemon that runs now. */
  as(agent: string): Client {
    return callerOn(this.daemon, agent, this.#handles.get(agent) ?? '').client;
  }

  async grant(agent: string, ...capabilities: readonly string[]): Promise<void> {
    await grantAll(this.client, agent, capabilities);
  }

  async start(): Promise<void> {
    this.#daemon = await startDaemon(this.path);
  }

  /** By SIGKILL, then a new one on the same home. */
  async killAndStart(): Promise<void> {
    await this.daemon.kill();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon?.kill();
    await this.folder[Symbol.asyncDispose]();
  }
}
