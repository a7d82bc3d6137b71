import { chmodSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parseOptions, repeatCommand } from "../../../loadtest/kload/options.js";

/** A directory in which programs can be found by their names. */
function programs(t: Test, ...names: readonly string[]): string {
  const directory = t.testdir(Object.fromEntries(names.map((name) => [name, "#!/bin/sh\n"])));
  for (const name of names) chmodSync(join(directory, name), 0o755);
  const before = process.env["PATH"];
  process.env["PATH"] = directory;
  t.teardown(() => {
    process.env["PATH"] = before;
  });
  return directory;
}

t.test("only the generator must be named", async (t) => {
  const kload = join(programs(t, "kload"), "kload");
  t.match(parseOptions(["--kload", kload]), {
    kload,
    runs: 1,
    peers: [],
    workloads: ["put", "drain", "put-32", "reliable", "flood", "many", "one"],
    items: 100_000,
    conns: 100,
    size: 1024,
    settleSeconds: 10,
    out: null,
  });
  t.equal(parseOptions(["--help"]), null);
});

t.test("a generator or a peer that is not there is told", async (t) => {
  const kload = join(programs(t, "kload", "beanstalkd"), "kload");
  t.throws(() => parseOptions([]), { message: /^--kload must say/ });
  t.throws(() => parseOptions(["--kload", `${kload}x`]), { message: /no program that can be run/ });
  t.match(parseOptions(["--kload", kload, "--vs", "beanstalkd"])?.peers, [{ name: "beanstalkd" }]);
  t.throws(() => parseOptions(["--kload", kload, "--vs", "redis"]), { message: /redis-server is not installed/ });
  t.throws(() => parseOptions(["--kload", kload, "--vs", "kestrel"]), { message: /^--vs knows beanstalkd, / });
  t.throws(() => parseOptions(["--kload", kload, "--only", "put,got"]), { message: /^--only knows put, .*"got"/ });
  t.throws(() => parseOptions(["--kload", kload, "--runs", "0"]), { message: /^--runs takes a whole number/ });
});

t.test("the command that repeats a run has the same options", async (t) => {
  const kload = join(programs(t, "kload", "beanstalkd", "redis-server"), "kload");
  for (const words of ["", "--runs 5 --only put,many --items 200 --size 64", "--vs redis --vs beanstalkd --settle 0"]) {
    const options = parseOptions(["--kload", kload, ...words.split(" ").filter((word) => word !== "")]);
    if (options === null) return;
    const [, repeated = ""] = repeatCommand(options).split(" -- ");
    t.same(parseOptions(repeated.split(" ")), options, words);
  }
});
