import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import t from "tap";
import { DEFAULT_SETTINGS } from "../../src/config/defaults.js";
import { exampleFile } from "../../src/config/example.js";
import { loadSettings } from "../../src/config/load.js";
import { TABLE_BEGIN, TABLE_END, withSettingsTable } from "../../src/config/settings-table.js";

const root = dirname(createRequire(import.meta.url).resolve("windhover/package.json"));

t.test("windhover.example.toml and the README's tables are what npm run config:example writes", async (t) => {
  t.equal(await readFile(join(root, "windhover.example.toml"), "utf8"), exampleFile());
  const readme = await readFile(join(root, "README.md"), "utf8");
  t.equal(readme, withSettingsTable(readme));
});

t.test("the example changes nothing as it is", async (t) => {
  t.same(await loadSettings({ file: join(root, "windhover.example.toml") }), DEFAULT_SETTINGS);
});

t.test("the example with everything uncommented is a good file that says the defaults", async (t) => {
  const dir = t.testdir({ "windhover.toml": exampleFile().replace(/^#(?=[a-z[])/gm, "") });
  const settings = await loadSettings({ file: join(dir, "windhover.toml") });
  t.same({ ...settings, listeners: [], queues: new Map(), aliases: new Map(), notes: [] }, DEFAULT_SETTINGS);
  t.same([...settings.queues.keys()], ["orders", "orders+audit"]);
  t.same([...settings.aliases.keys()], ["everything"]);
  t.match(settings.listeners, [{ port: 0, dialect: "kestrel" }]);
  t.equal(settings.notes.length, 3, "what has no effect");
  t.ok(
    exampleFile()
      .split("\n")
      .every((line) => line.length <= 120),
  );
});

t.test("a README without the markers is no place for the tables", async (t) => {
  t.throws(() => withSettingsTable("# windhover\n"), /the README has no <!-- settings/);
  t.throws(() => withSettingsTable(`${TABLE_END}${TABLE_BEGIN}`), /the README has no/);
});
