/** Everything that the project promises to its users, subject by subject. */
import { capabilityPromises } from './capabilities.ts';
import { cliPromises } from './cli.ts';
import { filePromises } from './files.ts';
import { gatewayPromises } from './gateway.ts';
import { ledgerPromises } from './ledger.ts';
import { memoryPromises } from './memory.ts';
import { messagePromises } from './messages.ts';
import { operationPromises } from './operations.ts';
import { outboxPromises } from './outbox.ts';
import type { KeptPromise } from './promise.ts';
import { runtimePromises } from './runtime.ts';
import { sandboxPromises } from './sandbox.ts';
import { toolPromises } from './tools.ts';
import { transferPromises } from './transfer.ts';

export const promises: readonly KeptPromise[] = [
  ...messagePromises,
  ...outboxPromises,
  ...ledgerPromises,
  ...runtimePromises,
  ...capabilityPromises,
  ...toolPromises,
  ...sandboxPromises,
  ...filePromises,
  ...memoryPromises,
  ...transferPromises,
  ...operationPromises,
  ...gatewayPromises,
  ...cliPromises,
];
