/** What requests are called in answers and in the log. */
import type { IncomingHttpHeaders } from 'node:http';

// Nothing that could be taken for something else in a log, or in a header.
const lawful = /^[A-Za-z0-9._-]{1,100}$/;

export class RequestIds {
  #count = 0;

  /** As the client itself calls it, else by a number of this process. */
  of(headers: IncomingHttpHeaders): string {
    const own = headers['x-request-id'];
    return typeof own === 'string' && lawful.test(own) ? own : this.next();
  }

  next(): string {
    this.#count++;
    return `req-${this.#count.toString(36)}`;
  }
}
