import t from "tap";
import { RandomWalk } from "../helpers/random-walk.js";
import { drama } from "../helpers/transcript.js";

t.setTimeout(60 * 60_000);

const KINDS = [
  "",
  '[default]\nsync_journal = "always"\nmax_memory_size = "1MB"\n',
  '[default]\nmax_memory_size = "40kB"\n',
];

/** 230 found that pages before the head, kept for an open read, were taken for a gap in the line. */
const SEEDS = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 230];

for (const seed of SEEDS) {
  const config = KINDS[seed % KINDS.length] as string;
  drama(
    `a queue does what its model does, whatever comes (seed ${seed})`,
    { config, bare: true, timeoutMs: 30 * 60_000 },
    async ({ server, queue }) => {
      await new RandomWalk(server, queue, seed).walk(10_000);
    },
  );
}
