import t from "tap";
import { RandomWalk } from "../helpers/random-walk.js";
import { drama } from "../helpers/transcript.js";

t.setTimeout(60 * 60_000);

const KINDS = [
  "",
  '[default]\nmax_memory_size = "40kB"\n',
  '[default]\nsync_journal = "always"\nmax_memory_size = "1MB"\n',
];

for (let seed = 100; seed < 112; seed += 1) {
  const config = KINDS[seed % KINDS.length] as string;
  drama(
    `a queue does what its model does, whatever comes (seed ${seed})`,
    { config, timeoutMs: 30 * 60_000 },
    async ({ server, queue }) => {
      await new RandomWalk(server, queue, seed).walk(10_000);
    },
  );
}
