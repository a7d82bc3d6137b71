import t from "tap";
import { parseOptions, repeatCommand } from "../../../loadtest/many-clients/options.js";

const DEFAULTS = {
  sleepMs: 100,
  items: 100,
  clients: 100,
  killPercent: 0,
  reliable: false,
  queue: "spam",
  host: "localhost",
  port: null,
  flushFirst: true,
  monitor: false,
};

t.test("without options it does what Kestrel's does, on a server of its own", async (t) => {
  t.same(parseOptions([]), DEFAULTS);
});

t.test("the options are Kestrel's", async (t) => {
  t.same(parseOptions("-s 2 -n 500 -c 7 -q jobs -h example.org -p 1234 -x -F -M".split(" ")), {
    sleepMs: 2,
    items: 500,
    clients: 7,
    killPercent: 0,
    reliable: true,
    queue: "jobs",
    host: "example.org",
    port: 1234,
    flushFirst: false,
    monitor: true,
  });
  t.match(parseOptions(["-k", "10"]), { killPercent: 10, reliable: true }, "killed clients read reliably");
  t.match(parseOptions(["-h", "example.org"]), { port: 22133 }, "a host has Kestrel's port");
  t.equal(parseOptions(["--help"]), null);
});

t.test("what is no number in its range is refused by name", async (t) => {
  for (const words of ["-n 0", "-n 1e3", "-c 1.5", "-s=-1", "-k 101", "-p 0", "-p 65536"]) {
    const [name = ""] = words.split(/[ =]/);
    t.throws(() => parseOptions(words.split(" ")), { message: new RegExp(`^${name} takes a whole number`) }, words);
  }
  t.throws(() => parseOptions(["-z"]));
  t.throws(() => parseOptions(["stray"]));
});

t.test("the command that repeats a run has the same options", async (t) => {
  for (const words of ["-n 5 -s 2 -c 3", "-k 10 -q jobs", "-x -h example.org -p 1 -F", ""]) {
    const options = parseOptions(words.split(" ").filter((word) => word !== ""));
    if (options === null) return;
    const [, repeated = ""] = repeatCommand(options).split(" -- ");
    t.same(parseOptions(repeated.split(" ")), options, words);
  }
});
