/** The port through which names of hosts become addresses. */
export interface Resolver {
  /**
   * One question, every address that it has, in the order in which to try them. A name that
   * has none is `http.unreachable`.
   */
  resolve(host: string): Promise<readonly string[]>;
}
