import { join } from "node:path";
import t from "tap";
import { runCommand } from "../helpers/run-command.js";

t.test("config check of a good file is exit code 0", async (t) => {
  const file = join(t.testdir({ "windhover.toml": "[queue.orders]\nmax_items = 5\n" }), "windhover.toml");
  t.same(await runCommand(["config", "check", file]), { code: 0, stdout: `${file}: no mistakes\n`, stderr: [] });
});

t.test("config check tells each mistake with its place, a line each, and is exit code 2", async (t) => {
  const dir = t.testdir({
    "one.toml": "[server]\nmemcach = 1\n",
    "two.toml": '[queue.orders]\nmax_item = 5\nmax_age = "soon"\n',
    "none.toml": "[server\n",
  });
  t.same(await runCommand(["config", "check", `${dir}/one.toml`]), {
    code: 2,
    stdout: "",
    stderr: [`windhover: ${dir}/one.toml: server.memcach: unknown; did you mean memcache?`],
  });
  const two = await runCommand(["config", "check", `${dir}/two.toml`]);
  t.match(two, { code: 2, stdout: "" });
  t.match(two.stderr, [
    /two\.toml: queue\.orders\.max_item: unknown; did you mean max_items\?$/,
    /two\.toml: queue\.orders\.max_age: "soon" is not a duration/,
    /two\.toml: 2 mistakes$/,
  ]);
  t.match(await runCommand(["config", "check", `${dir}/none.toml`]), { code: 2, stderr: [/none\.toml:1:8: /] });
  t.match(await runCommand(["config", "check", `${dir}/absent.toml`]), { code: 2, stderr: [/cannot be read.*absent/] });
});

t.test("config check notes what has no effect", async (t) => {
  const file = join(t.testdir({ "windhover.toml": '[default]\ndefault_journal_size = "16MB"\n' }), "windhover.toml");
  const { code, stderr } = await runCommand(["config", "check", file]);
  t.equal(code, 0);
  t.same(stderr, [`windhover: ${file}: note: default.default_journal_size has no effect here`]);
});

t.test("config show prints what holds, and where it comes from", async (t) => {
  const file = join(t.testdir({ "windhover.toml": '[queue."grün"]\nmax_items = 5\n' }), "windhover.toml");
  process.env["WINDHOVER_DEFAULT_MAX_AGE"] = "1h";
  t.teardown(() => delete process.env["WINDHOVER_DEFAULT_MAX_AGE"]);
  const all = await runCommand(["config", "show", "--config", file]);
  t.match(all, { code: 0, stderr: [] });
  t.match(all.stdout, /^\[server\]\nlisten = "127\.0\.0\.1" +# default\n/);
  const one = await runCommand(["config", "show", "--queue", "grün", "--config", file]);
  t.match(one.stdout, /^max_items = 5 +# file \[queue\."grün"\]$/m);
  t.match(one.stdout, /^max_age = "1h" +# environment WINDHOVER_DEFAULT_MAX_AGE$/m);
});

t.test("without --config the usual file is read, and its absence is no fault", async (t) => {
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  process.chdir(t.testdir({ with: { "windhover.toml": "[server]\nmemcache = 7\n" }, without: {} }));
  process.chdir("with");
  t.match((await runCommand(["config", "show"])).stdout, /^memcache = 7 +# file \[server\]$/m);
  process.chdir("../without");
  t.match((await runCommand(["config", "show"])).stdout, /^memcache = 22133 +# default$/m);
});

t.test("config without a command of its own is a wrong command line", async (t) => {
  t.match(await runCommand(["config"]), { code: 2, stdout: "", stderr: [/no command; --help lists them$/] });
  t.match(await runCommand(["config", "chekc", "x"]), { code: 2, stderr: [/unknown command 'chekc'/] });
  t.match(await runCommand(["config", "check"]), { code: 2, stderr: [/missing required argument 'file'/] });
  t.match(await runCommand(["config", "check", "--help"]), { code: 0, stdout: /Usage: windhover config check/ });
});
