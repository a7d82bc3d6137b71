import { appendFile, cp, readFile, stat, truncate } from "node:fs/promises";
import t, { type Test } from "tap";
import { tornBytes } from "../../src/journal/log-tail.js";
import { logFiles } from "../helpers/files.js";
import { contents, JournalBench, put } from "../helpers/journal-bench.js";
import { RecordingLog } from "../helpers/recording-log.js";

interface Killed {
  readonly bench: JournalBench;
  /** How long the log was after each batch. */
  readonly ends: readonly number[];
  /** The items of each batch. */
  readonly batches: readonly string[][];
}

/** A journal as a kill leaves it: batches of one to three items, the last one over several of the log's blocks of 32 KiB. */
async function killed(t: Test): Promise<Killed> {
  const bench = await JournalBench.for(t);
  const queue = (await bench.open()).create("q");
  const ends: number[] = [];
  const batches: string[][] = [];
  for (const [n, size] of [10, 200, 3, 7000, 31_000, 90_000].entries()) {
    const batch = Array.from({ length: (n % 3) + 1 }, (_, i) => `${n}.${i} ${"x".repeat(size)}`);
    await Promise.all(batch.map((data) => put(queue, data).written));
    batches.push(batch);
    ends.push((await stat(await lastLog(bench.directory))).size);
  }
  return { bench, ends, batches };
}

async function lastLog(directory: string): Promise<string> {
  return (await logFiles(directory)).at(-1) as string;
}

/** What a start finds after `damage` to the log, and what it says. */
async function findAfter(
  { bench }: Killed,
  damage: (log: string) => Promise<void>,
): Promise<{ items: string[]; log: RecordingLog }> {
  const directory = await bench.copy();
  await damage(await lastLog(directory));
  const log = new RecordingLog();
  const journal = await bench.open({ directory, log });
  const items = (await contents(journal, "q")) ?? [];
  const queue = journal.recovered[0]?.journal ?? journal.create("q");
  for (const item of ["more", "and more"]) await put(queue, item).written;
  await journal.close();
  const again = await bench.open({ directory });
  t.same(await contents(again, "q"), [...items, "more", "and more"], "writes go on");
  await again.close();
  return { items, log };
}

t.test(
  "G122 a log that is cut anywhere gives back all batches that are whole, and says so in one line",
  { timeout: 60_000 },
  async (t) => {
    const journal = await killed(t);
    const { ends, batches } = journal;
    const size = ends.at(-1) as number;
    const cuts = new Set([1, 2, 6, 7, 8, 32_768, 65_536, size - 1, size - 3, size - 7, size - 8]);
    for (const end of ends) for (const by of [-1, 0, 1, 7]) cuts.add(end + by);
    for (let at = 0; at < size; at += 28_411) cuts.add(at);
    for (const cut of [...cuts].filter((at) => at >= 0 && at <= size)) {
      const { items, log } = await findAfter(journal, (path) => truncate(path, cut));
      t.same(items, batches.filter((_, n) => (ends[n] as number) <= cut).flat(), `cut at ${cut} of ${size}`);
      // Before the first batch lie those of the start, whose ends are not known here.
      if (cut >= (ends[0] as number)) t.equal(log.complaints.length, ends.includes(cut) ? 0 : 1, `one line at ${cut}`);
      else t.ok(log.complaints.length <= 1);
    }
  },
);

t.test("G124 a tail of zeros is a torn tail", async (t) => {
  const journal = await killed(t);
  const { ends, batches } = journal;
  const size = ends.at(-1) as number;
  for (const [cut, zeros] of [
    [size, 4096],
    [size, 100_000],
    [size - 10, 4096],
    [ends[3] as number, 4096],
    [(ends[2] as number) + 3, 40_000],
  ] as const) {
    const { items, log } = await findAfter(journal, async (path) => {
      await truncate(path, cut);
      await appendFile(path, Buffer.alloc(zeros));
    });
    t.same(
      items,
      batches.filter((_, n) => (ends[n] as number) <= cut).flat(),
      `${zeros} zeros after ${cut} of ${size}`,
    );
    t.equal(log.complaints.length, 1, "one line");
  }
});

t.test("a log that is damaged in the middle is told of at error, and the rest is served", async (t) => {
  const journal = await killed(t);
  const { items, log } = await findAfter(journal, async (path) => {
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8((journal.ends[1] as number) - 5) ^ 1, (journal.ends[1] as number) - 5);
    await truncate(path, 0);
    await appendFile(path, bytes);
  });
  t.ok(items.length >= 1 && items.length < journal.batches.flat().length);
  t.match(log.complaints[0], { level: "error", message: /dropped damaged bytes/ });
});

t.test("the bytes that are torn off are those after the last whole write", async (t) => {
  const { bench, ends } = await killed(t);
  t.equal(await tornBytes(bench.directory), 0);
  const copy = `${bench.directory}-cut`;
  await cp(bench.directory, copy, { recursive: true });
  await truncate(await lastLog(copy), (ends[4] as number) + 20);
  t.equal(await tornBytes(copy), 20);
  t.equal(await tornBytes(`${bench.directory}-missing`), 0);
});
