/** The processes of this machine, our own among them. */
export interface Processes {
  readonly selfPid: number;
  /**
   * What tells a process from another that has the same number before or after it, also
   * across a restart of the machine; undefined when none of that number runs.
   */
  startTimeOf(pid: number): string | undefined;
  /** What differs from one start of the machine to the next; undefined when nobody knows. */
  bootId(): string | undefined;
  kill(pid: number, signal: KillSignal): KillAnswer;
}

export type KillSignal = 'SIGTERM' | 'SIGKILL';

/** `sent` says nothing of what it does: a process may take its time to end. */
export type KillAnswer = 'sent' | 'gone' | 'denied';
