/** What a program gets from `import … from 'agent-os'`. */

export type { WireItem } from '../gateway/contract.ts';
export {
  type BusEvent,
  type BusMessage,
  type EventCallback,
  MessageBus,
  type RequestOptions,
} from '../gateway/message-bus.ts';
export { AosError } from '../kernel/errors.ts';
export { type ConnectOptions, connect } from './library.ts';
