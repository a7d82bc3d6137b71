import { WindhoverError } from "../errors.js";
import type { OpenStore, Store } from "./store.js";

/**
 * The store that is open now. `open`; `reopen` makes it `absent` until an opening succeeds, and whoever asks meanwhile gets
 * the new one; `close` is final, and who still waits then gets WH_CLOSED.
 */
export class CurrentStore {
  readonly #directory: string;
  readonly #openStore: OpenStore;
  #open: Store | null;
  #current: Promise<Store>;
  #arrived: { readonly resolve: (store: Store) => void; readonly reject: (error: Error) => void } | null = null;

  constructor(directory: string, openStore: OpenStore, store: Store) {
    this.#directory = directory;
    this.#openStore = openStore;
    this.#open = store;
    this.#current = Promise.resolve(store);
  }

  /** The store; while it is being exchanged, the one that comes next. */
  get(): Promise<Store> {
    return this.#current;
  }

  /** Closes the store and opens it anew. When that fails it may be tried again, and those who asked go on waiting. */
  async reopen(): Promise<Store> {
    const old = this.#open;
    this.#open = null;
    if (this.#arrived === null) this.#await();
    await old?.close();
    const store = await this.#openStore(this.#directory);
    this.#open = store;
    this.#arrived?.resolve(store);
    this.#arrived = null;
    return store;
  }

  /** Nobody waits for a store any more: there will be none. */
  giveUp(): void {
    this.#arrived?.reject(new WindhoverError("WH_CLOSED", "the journal is closed"));
    this.#arrived = null;
  }

  async close(): Promise<void> {
    const old = this.#open;
    this.#open = null;
    if (this.#arrived === null) this.#await();
    this.giveUp();
    await old?.close();
  }

  #await(): void {
    this.#current = new Promise((resolve, reject) => {
      this.#arrived = { resolve, reject };
    });
    // Whoever asks for it sees the failure; that nobody does is no failure.
    this.#current.catch(() => {});
  }
}
