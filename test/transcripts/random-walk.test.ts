import { RandomWalk } from "../helpers/random-walk.js";
import { drama } from "../helpers/transcript.js";

const NARROW = '[default]\nmax_memory_size = "40kB"\n';

for (const [seed, config] of [
  [1, ""],
  [2, NARROW],
  [3, '[default]\nsync_journal = "always"\n'],
] as const) {
  drama(
    `a queue does what its model does, whatever comes (seed ${seed})`,
    { config, bare: true },
    async ({ server, queue }) => {
      await new RandomWalk(server, queue, seed).walk(600);
    },
  );
}
