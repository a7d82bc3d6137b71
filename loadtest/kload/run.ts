import { type Contestant, type Running, WINDHOVER } from "./contestants.js";
import { Generator, type Measured, SERVER_CORE } from "./generator.js";
import type { Options } from "./options.js";
import { type Amounts, allWorkloads, preparation, type Workload } from "./workloads.js";

/** What was found in each run: by server, then by workload. */
export type Findings = ReadonlyMap<string, ReadonlyMap<string, readonly Measured[]>>;

/**
 * Loads our server and its peers in turns, A B A B, each time a fresh one: what the machine does besides in the meantime
 * falls on all of them.
 */
export async function runKload(options: Options, stop: AbortSignal, say: (line: string) => void): Promise<Findings> {
  const generator = new Generator(options.kload, options.settleSeconds, stop);
  const found = new Map<string, Map<string, Measured[]>>();
  for (let run = 1; run <= options.runs; run++) {
    for (const contestant of [WINDHOVER, ...options.peers]) {
      stop.throwIfAborted();
      const server = await contestant.start(SERVER_CORE);
      const round = new Round(generator, contestant, server, options);
      try {
        for (const workload of workloadsFor(contestant, options)) {
          say(`run ${run} of ${options.runs}: ${contestant.name}, ${workload.name}`);
          keep(found, contestant.name, workload.name, await round.measure(workload));
        }
      } finally {
        await server.stop();
      }
    }
  }
  return found;
}

/** The workloads that were asked for and that such a server can do. */
function workloadsFor(contestant: Contestant, options: Options): readonly Workload[] {
  return allWorkloads(options).filter(
    ({ name, mode }) => options.workloads.includes(name) && (contestant.isQueue || mode === "put" || mode === "drain"),
  );
}

function keep(found: Map<string, Map<string, Measured[]>>, server: string, workload: string, measured: Measured): void {
  const ofServer = found.get(server) ?? new Map<string, Measured[]>();
  found.set(server, ofServer);
  ofServer.set(workload, [...(ofServer.get(workload) ?? []), measured]);
}

/** One server, from its start to its end. It knows how many items lie in it. */
class Round {
  readonly #generator: Generator;
  readonly #contestant: Contestant;
  readonly #server: Running;
  readonly #amounts: Amounts;
  #stock = 0;

  constructor(generator: Generator, contestant: Contestant, server: Running, amounts: Amounts) {
    this.#generator = generator;
    this.#contestant = contestant;
    this.#server = server;
    this.#amounts = amounts;
  }

  async measure(workload: Workload): Promise<Measured> {
    if (this.#stock !== workload.before) {
      if (this.#stock > 0) await this.#load(preparation("drain", this.#stock, this.#amounts));
      if (workload.before > 0) await this.#load(preparation("put", workload.before, this.#amounts));
    }
    return this.#load(workload);
  }

  async #load(workload: Workload): Promise<Measured> {
    const { port, pid } = this.#server;
    const target = { contestant: this.#contestant, port, pid, size: this.#amounts.size };
    const measured = await this.#generator.load(workload, target);
    this.#stock = workload.after;
    return measured;
  }
}
