import type { EventLoop } from '../kernel/ports.ts';

export const realEventLoop: EventLoop = {
  atEndOfTurn: (work) => void setImmediate(work),
  // Node runs this queue when the queue of promises is empty, and before anything from
  // outside (a timer, a socket) gets its turn.
  whenSettled: (work) => process.nextTick(work),
};
