/**
 * How many connections there are. The open ones are kept, not counted up and down, so that the number cannot drift or fall
 * below zero, however often an end is told.
 */
export class ConnectionCounts {
  readonly #open = new Set<object>();
  #total = 0;

  /** Connections that are open now. */
  get current(): number {
    return this.#open.size;
  }

  /** Connections that were ever opened. */
  get total(): number {
    return this.#total;
  }

  /** A connection was opened. */
  opened(connection: object): void {
    this.#open.add(connection);
    this.#total++;
  }

  /** It is gone; telling it twice does no harm. */
  closed(connection: object): void {
    this.#open.delete(connection);
  }
}
