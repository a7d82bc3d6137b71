import { Readable } from "node:stream";
import t from "tap";
import { runCommand } from "../helpers/run-command.js";

t.test("a wrong command line is exit code 2 and one line that says what is wrong", async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /no command; windhover --help/],
    [["fetch"], /unknown command 'fetch'/],
    [["--verbose"], /unknown option '--verbose'/],
    [["get"], /missing required argument 'queue'/],
    [["get", "q", "extra"], /too many arguments/],
    [["get", "q", "--wiat", "5"], /unknown option '--wiat'.*Did you mean --wait/],
    [["get", "q", "--wait", "soon"], /--wait.*'soon' is invalid.*whole number from 0/],
    [["get", "q", "--wait", "-5"], /--wait/],
    [["get", "q", "-n", "0"], /whole number from 1/],
    [["get", "q", "-n", "1e3"], /whole number from 1/],
    [["peek", "q", "--port", "0"], /--port.*from 1 to 65535/],
    [["peek", "q", "--port", "65536"], /--port.*from 1 to 65535/],
    [["put", "q", "data", "--lines"], /--lines reads standard input/],
    [["get", "jobs/close"], /not a queue name: "jobs\/close"/],
    [["put", "two words", "data"], /not a queue name: "two words"/],
    [["serve", "--memcache", "lots"], /--memcache: "lots" is not a port/],
    [["serve", "--log-level", "loud"], /'loud' is invalid. Allowed choices are trace, debug/],
    [["serve", "--config", "nowhere.toml"], /the configuration cannot be read.*nowhere\.toml/],
  ];
  for (const [words, message] of wrong) {
    const { code, stdout, stderr } = await runCommand(words);
    t.equal(code, 2, words.join(" "));
    t.equal(stdout, "");
    t.equal(stderr.length, 1);
    t.match(stderr[0], /^windhover: [^\n]*$/);
    t.match(stderr[0], message);
  }
});

t.test("help and version are printed on stdout and are no failure", async (t) => {
  const help = await runCommand(["--help"]);
  t.match(help, { code: 0, stdout: /Usage: windhover/, stderr: [] });
  for (const name of ["serve", "put", "get", "peek", "stats"]) {
    t.match(help.stdout, new RegExp(`^  ${name} `, "m"));
    t.match(await runCommand([name, "--help"]), {
      code: 0,
      stdout: new RegExp(`Usage: windhover ${name}`),
      stderr: [],
    });
  }
  t.match(await runCommand(["--version"]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: [] });
});

t.test("a server that is not there is exit code 1 and a line that says so", async (t) => {
  for (const words of [
    ["put", "q", "data"],
    ["get", "q"],
    ["get", "q", "--follow"],
    ["get", "q", "--reliable"],
    ["peek", "q"],
    ["stats"],
  ]) {
    const ended = await runCommand([...words, "--port", "1"]);
    t.match(ended, { code: 1, stdout: "", stderr: [/^windhover: cannot reach 127\.0\.0\.1:1: .*ECONNREFUSED/] });
    t.equal(ended.stderr.length, 1);
  }
});

t.test("a mistake in the program is told with its stack, and trouble of the system without", async (t) => {
  const failing = (error: Error): Readable => new Readable({ read: (): void => void input.destroy(error) });
  let input = failing(new TypeError("data is undefined"));
  t.match(await runCommand(["put", "q"], { input }), {
    code: 1,
    stderr: [/^windhover: TypeError: data is undefined\n +at /],
  });
  input = failing(Object.assign(new Error("EISDIR: illegal operation on a directory, read"), { syscall: "read" }));
  t.match(await runCommand(["put", "q"], { input }), { code: 1, stderr: [/^windhover: EISDIR: [^\n]*$/] });
});
