import type { Log } from "../log.js";

/** Options that mean nothing and were let through, because the extensions are off. The operator hears of the first one. */
export class IgnoredOptions {
  readonly #log: Log;
  #wasTold = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A client at `peer` wrote `option`. */
  note(option: string, peer: string): void {
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.#log.warn(
      { option, peer },
      "a client's get has an option that is unknown and ignored: it takes an item all the same",
    );
  }
}
