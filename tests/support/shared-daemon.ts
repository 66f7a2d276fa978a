/**
 * One daemon for the tests of a file that do not test its start or its end: that takes longer than
 * what most of them do with it. Each has agents of its own, which are ended after it.
 */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type DaemonHome, daemonHome, endAgents } from './daemon-home.ts';

/** Registers the hooks, and returns what a test calls for the home. */
export function sharedDaemon(): () => DaemonHome {
  let home: DaemonHome;

  beforeAll(async () => {
    home = await daemonHome();
  });

  afterEach(() => endAgents(home));

  afterAll(() => home[Symbol.asyncDispose]());

  return () => home;
}
