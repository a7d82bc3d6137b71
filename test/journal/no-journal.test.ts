import t from "tap";
import { NoJournal } from "../../src/journal/no-journal.js";
import { queueJournalCases } from "../cases/queue-journal-cases.js";
import { newItem } from "../helpers/journal-bench.js";

queueJournalCases("without a journal", async () => new NoJournal());

t.test("without a journal a put is answered at once, and nothing is on the disk", (t) => {
  const journal = new NoJournal();
  t.equal(journal.written(journal.append(newItem("a"), true, true)), null);
  t.equal(journal.pageBytes, 0);
  t.end();
});
