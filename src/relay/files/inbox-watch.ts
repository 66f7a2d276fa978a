/**
 * Hears that agents take messages out of their inboxes. Only inboxes with unread messages
 * are watched, and only the names of notices are looked at; what no notice tells of, the
 * relay finds when it lists the inbox.
 */

import { toReport } from '../../kernel/errors.ts';
import type { Clock, DiskView, FolderWatch, Watching } from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import { inboxPath } from './inbox-files.ts';
import { isMessageName, type NoticeBursts } from './outbox.ts';

export interface InboxWatchDeps {
  readonly disk: DiskView;
  readonly watching: Watching;
  readonly bursts: NoticeBursts;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: RelayLog;
  readonly home: string;
  /** Those of the names that are in the inbox no more. It must not throw. */
  readonly onGone: (recipient: string, names: readonly string[]) => void;
}

// An agent that takes a hundred messages makes a few looks of it, not a hundred.
const pauseMs = 20;
const mostNames = 4096;

export class InboxWatch implements AsyncDisposable {
  readonly #deps: InboxWatchDeps;
  readonly #watches = new Map<string, FolderWatch>();
  #noticed = new Map<string, Set<string>>();
  /** Names that are just being written, of which a notice is still to come. */
  readonly #coming = new Map<string, Set<string>>();
  #looking: Promise<void> | undefined;
  readonly #stop = new AbortController();
  #told = false;

  constructor(deps: InboxWatchDeps) {
    this.#deps = deps;
  }

  /**
   * Unread messages lie in that inbox, or those of these names will in a moment. Costs next
   * to nothing when repeated.
   */
  expect(recipient: string, coming: readonly string[] = []): void {
    if (this.#stop.signal.aborted) return;
    if (this.#watch(recipient)) this.#expectNames(recipient, coming);
  }

  // One that does not come, because the disk is full say, is forgotten with the next ones.
  #expectNames(recipient: string, coming: readonly string[]): void {
    const known = this.#coming.get(recipient);
    const names = known === undefined || known.size > mostNames ? new Set<string>() : known;
    for (const name of coming) names.add(name);
    if (names.size > 0) this.#coming.set(recipient, names);
  }

  #watch(recipient: string): boolean {
    if (this.#watches.get(recipient)?.open === true) return true;
    const { watching, home } = this.#deps;
    try {
      const watch = watching.watch(inboxPath(home, recipient), (name) =>
        this.#onChange(recipient, name),
      );
      this.#watches.set(recipient, watch);
      return true;
    } catch (failure) {
      // Without a watch it is heard of later, when the relay lists the inbox.
      if (!this.#told) this.#tell(recipient, failure);
      return false;
    }
  }

  /** Nothing is unread there now. */
  forget(recipient: string): void {
    this.#watches.get(recipient)?.[Symbol.dispose]();
    this.#watches.delete(recipient);
    this.#noticed.delete(recipient);
    this.#coming.delete(recipient);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const recipient of [...this.#watches.keys()]) this.forget(recipient);
    await this.#looking;
  }

  #onChange(recipient: string, name: string | undefined): void {
    this.#deps.bursts.count();
    if (name === undefined) {
      this.forget(recipient);
      return;
    }
    if (!isMessageName(name) || this.#cameItself(recipient, name)) return;
    const names = this.#noticed.get(recipient) ?? new Set();
    this.#noticed.set(recipient, names);
    if (names.size < mostNames) names.add(name);
    this.#looking ??= this.#look();
  }

  #cameItself(recipient: string, name: string): boolean {
    const coming = this.#coming.get(recipient);
    if (coming?.delete(name) !== true) return false;
    if (coming.size === 0) this.#coming.delete(recipient);
    return true;
  }

  async #look(): Promise<void> {
    while (this.#noticed.size > 0 && !this.#stop.signal.aborted) {
      // Being stopped ends the pause, and then there is nothing to look at.
      await this.#deps.clock.sleep(pauseMs, this.#stop.signal).catch(() => {});
      const noticed = this.#noticed;
      this.#noticed = new Map();
      for (const [recipient, names] of noticed) {
        const gone = await this.#missing(recipient, names);
        if (gone.length > 0) this.#deps.onGone(recipient, gone);
      }
    }
    this.#looking = undefined;
  }

  async #missing(recipient: string, names: Iterable<string>): Promise<string[]> {
    const folder = inboxPath(this.#deps.home, recipient);
    const missing: string[] = [];
    try {
      // To take a message away is to read it; to take the inbox away is not.
      if ((await this.#deps.disk.stat(folder)) === undefined) return [];
      for (const name of names) {
        if ((await this.#deps.disk.stat(`${folder}/${name}`)) === undefined) missing.push(name);
      }
    } catch {
      // No folder is there to see anything in; whether all is read, the listing tells.
      return [];
    }
    return missing;
  }

  #tell(recipient: string, failure: unknown): void {
    this.#told = true;
    const facts = { agent: recipient, error: toReport(failure) };
    this.#deps.log.warn(facts, 'an inbox cannot be watched; what is read is seen every 30 s');
  }
}
