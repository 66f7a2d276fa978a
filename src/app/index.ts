/** What a program gets from `import … from 'agent-os'`. */

export {
  type BusEvent,
  type BusMessage,
  type EventCallback,
  MessageBus,
  type RequestOptions,
} from '../gateway/client/message-bus.ts';
export type { WireItem } from '../gateway/contract/contract.ts';
export { AosError } from '../kernel/errors.ts';
export { type ConnectOptions, connect } from './library/library.ts';
