import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { queueJournalCases } from "../cases/queue-journal-cases.js";
import { JournalBench } from "../helpers/journal-bench.js";

queueJournalCases("on LevelDB", async (t) => (await (await JournalBench.for(t)).open()).create("q"));

t.test("the directory is made when it does not exist, with all above it", async (t) => {
  const bench = await JournalBench.for(t);
  const directory = join(bench.directory, "deep", "down");
  const journal = await bench.open({ directory });
  t.same(journal.recovered, []);
  t.equal(journal.boots, 1);
  t.ok((await readdir(directory)).includes("CURRENT"));
});
