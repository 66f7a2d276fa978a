/** The operations of a home: what outsiders submit, and what came of it. */
import type { Blobs } from '../../blobs/blobs.ts';
import type { OperationQueue, OperationsLog } from '../../operations/deps.ts';
import { Operations } from '../../operations/operations.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import { openServerKeys } from '../../security/server-keys.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from './compose.ts';
import { templateName } from './goals.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeOperationsOptions {
  readonly open: Pick<OpenHome, 'home' | 'ledger' | 'grants' | 'operationKeys'>;
  readonly log: OperationsLog;
  /** The one store of this process. */
  readonly blobs: Blobs;
  /** Undefined where nothing is worked on. */
  readonly queue?: OperationQueue | undefined;
}

const dayMs = 24 * 3_600_000;
const megabyte = 1_000_000;

export async function openHomeOperations(
  engines: Engines,
  settings: Pick<Settings, 'operationSeconds' | 'operationMegabytes' | 'artifactDays'>,
  { open, log, blobs, queue }: HomeOperationsOptions,
): Promise<Operations> {
  const { home, ledger, grants, operationKeys } = open;
  return new Operations({
    ...engines,
    ...{ home, ledger, grants, operationKeys, log, blobs, queue },
    serverKeys: await openServerKeys(engines, home),
    limits: {
      runMs: settings.operationSeconds * 1000,
      workspaceBytes: settings.operationMegabytes * megabyte,
      keepMs: settings.artifactDays * dayMs,
    },
  });
}

/** What outsiders reach of the queue. */
export function queueOf(
  engines: Engines,
  open: OpenHome,
  runtime: Pick<AgentRuntime, 'scheduler' | 'observe'>,
): OperationQueue {
  const { scheduler } = runtime;
  return {
    submit: (goal) => scheduler.submit(goal),
    cancel: (id, why) => scheduler.cancel(id, why),
    observe: (observer) => runtime.observe(observer),
    templateFor: (goal) => templateName({ ...engines, open }, goal),
  };
}

export function outsideOf({ artifactPhase, legacySignatures, publicUrl }: Settings) {
  return { artifactPhase, legacySignatures, publicUrl };
}
