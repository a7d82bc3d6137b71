import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { StatusFile } from "../../src/status/status-file.js";

t.test("what was written is read, whole and without the line's end", async (t) => {
  const directory = t.testdir();
  const file = new StatusFile(join(directory, "deep", "status"));
  t.equal(await file.read(), null, "there is no file yet");
  await file.write("ReadOnly");
  t.equal(await file.read(), "ReadOnly");
  t.equal(await readFile(file.path, "utf8"), "ReadOnly\n");
  t.same(await readdir(join(directory, "deep")), ["status"], "nothing else is left");
});

t.test("of writes at the same time the last one asked for remains", async (t) => {
  const file = new StatusFile(join(t.testdir(), "status"));
  await Promise.all(["Up", "ReadOnly", "Quiescent", "Up", "WriteAvoid"].map((word) => file.write(word)));
  t.equal(await file.read(), "WriteAvoid");
});

t.test("a file as an editor left it is read", async (t) => {
  const path = join(t.testdir(), "status");
  await writeFile(path, "  quiescent\r\n\n");
  t.equal(await new StatusFile(path).read(), "quiescent");
});

t.test("what cannot be read or written is an error, and the next write is tried all the same", async (t) => {
  const directory = t.testdir({ file: "a file, not a directory", status: {} });
  await t.rejects(new StatusFile(join(directory, "status")).read());
  await t.rejects(new StatusFile(join(directory, "file", "status")).write("Up"));
  const file = new StatusFile(join(directory, "status"));
  await t.rejects(file.write("Up"), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
  await t.rejects(file.write("Up"));
});
