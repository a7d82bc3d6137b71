import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { folderFault, layoutFaults, type PackageFacts, type SourceFile } from "./helpers/layout-rules.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const src = path.join(root, "src");

function packageFacts(): PackageFacts {
  const { exports, dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    readonly exports: Record<string, string | { readonly default: string }>;
    readonly dependencies: Record<string, string>;
  };
  const targets = Object.values(exports).map((entry) => (typeof entry === "string" ? entry : entry.default));
  const doors = targets.map((target) => target.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts"));
  return { doors, dependencies: Object.keys(dependencies) };
}

function sourceFiles(): readonly SourceFile[] {
  const names = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.sort().map((name) => ({
    path: name.split(path.sep).join("/"),
    text: readFileSync(path.join(src, name), "utf8"),
  }));
}

t.test("every folder of src has its row in the table", async (t) => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  t.ok(folders.length > 0, "src has folders");
  t.same(folders.map(({ name }) => folderFault(name)).filter(Boolean), []);
});

t.test("every file of src imports only what the table allows, and is named and shaped as agreed", async (t) => {
  const facts = packageFacts();
  const files = sourceFiles();
  t.ok(files.length > 0, "src has files");
  t.same(
    files.flatMap((file) => layoutFaults(file, facts)),
    [],
  );
});

t.test("a long file is worth a second look", async (t) => {
  const files = sourceFiles().map(({ path: name, text }) => ({ name, lines: text.split("\n").length - 1 }));
  for (const { name, lines } of files.filter(({ lines }) => lines > 300)) {
    t.comment(`${name} has ${lines} lines: look again at whether it is one thing`);
  }
  t.pass("long files are named, not refused");
});

t.test("the rules find what they are there for", async (t) => {
  const facts: PackageFacts = {
    doors: ["server.ts", "client/client.ts"],
    dependencies: ["level", "pino", "prom-client"],
  };
  const faults = (file: string, text: string): readonly string[] => layoutFaults({ path: file, text }, facts);

  t.test("an import to the left, in any of its forms", async (t) => {
    for (const text of [
      `import { Session } from "../session/session.js";`,
      `import type { Session } from "../session/session.js";`,
      `import "../session/session.js";`,
      `import {\n  Session,\n} from "../session/session.js";`,
      `const session = await import("../session/session.js");`,
      `let session: import("../session/session.js").Session;`,
      `const session = createRequire(import.meta.url)("../session/session.js");`,
      "const session = await import(`../session/session.js`);",
    ]) {
      t.same(faults("queue/queue.ts", text), ["queue/queue.ts: imports session/session, which queue may not"], text);
    }
    t.match(faults("queue/queue.ts", "await import(name);"), [/computed/]);
    t.match(faults("queue/queue.ts", `export { Session } from "../session/session.js";`), [/passes on/, /may not/]);
  });

  t.test("nothing in comments and strings", async (t) => {
    const text = `/* import "../session/a.js"; */\n// import("../session/a.js")\nconst s = 'import "../session/a.js"';\n`;
    t.same(faults("queue/queue.ts", text), []);
  });

  t.test("what the table allows goes: the own folder, the words, whole folders, single files", async (t) => {
    t.same(faults("session/handlers/get.ts", `import type { Reply } from "../../protocol/reply.js";`), []);
    t.same(faults("session/handlers/get.ts", `import { Session } from "../session.js";`), []);
    t.same(faults("session/session.ts", `import type { Item } from "../item.js";`), []);
    t.same(faults("server.ts", `import { Decoder } from "./protocol/memcache/decoder.js";`), []);
    t.same(faults("main.ts", `import { serve } from "./cli/serve.js";\nprocess.exit(1);`), []);
    t.same(faults("cli/serve.ts", `import { Server } from "../server.js";`), []);
    t.same(faults("client/client.ts", `import { keyOptions } from "../protocol/memcache/key-options.js";`), []);
    t.same(faults("cli/version.ts", `import facts from "windhover/package.json" with { type: "json" };`), []);
  });

  t.test("a file of a folder of which only other files are allowed", async (t) => {
    t.match(faults("session/session.ts", `import { Codec } from "../protocol/codec.js";`), [/session may not/]);
    t.match(faults("session/session.ts", `import { x } from "../protocol/reply-parts.js";`), [/session may not/]);
    t.match(faults("net/connection.ts", `import type { Reply } from "../protocol/reply.js";`), [/net may not/]);
    t.match(faults("tools/dump.ts", `import { Queue } from "../queue/queue.js";`), [/tools may not/]);
    t.match(faults("client/client.ts", `import { d } from "../protocol/memcache/decoder.js";`), [/client may not/]);
  });

  t.test("root words that import something of ours", async (t) => {
    t.match(faults("item.ts", `import { wallMs } from "./clock.js";`), [/import nothing of ours/]);
    t.same(faults("clock.ts", `import { performance } from "node:perf_hooks";`), []);
  });

  t.test("folders and root files that the table does not know", async (t) => {
    t.match(folderFault("utils"), /has no row/);
    t.match(folderFault("server"), /has no row/, "a root file is no folder");
    t.equal(folderFault("queue"), null);
    t.match(faults("utils/text.ts", ""), [/has no row/]);
    t.match(faults("helpers.ts", ""), [/no root file/]);
    t.match(faults("queue/queue.ts", `import { x } from "../utils/text.js";`), [/queue may not/]);
    t.match(faults("queue/queue.ts", `import { x } from "../../test/helpers/x.js";`), [/outside of src/]);
  });

  t.test("packages away from their home", async (t) => {
    for (const [file, name] of [
      ["journal/recovery.ts", "level"],
      ["stats/counters.ts", "prom-client"],
      ["session/session.ts", "node:net"],
      ["cli/get.ts", "node:tls"],
      ["worker/worker.ts", "node:http"],
      ["monitor/monitor.ts", "node-zookeeper-client"],
      ["queue/queue.ts", "pino"],
    ] as const) {
      t.match(faults(file, `import x from "${name}";`), [/belongs to/], `${name} in ${file}`);
    }
    t.match(faults("queue/queue.ts", `import x from "left-pad/deep.js";`), [/left-pad, which is no dependency/]);
    t.same(faults("journal/store.ts", `import { Level } from "level";`), []);
    t.same(faults("scheduling/metrics.ts", `import { Gauge } from "prom-client";`), []);
    t.same(faults("client/connection.ts", `import { connect } from "node:net";`), []);
  });

  t.test("forms that we do without: default exports, enums, barrels, odd names, exits", async (t) => {
    t.match(faults("queue/queue.ts", "export default class Queue {}"), [/default export/]);
    t.match(faults("queue/queue.ts", "const a = 1;\nexport default a;"), [/default export/]);
    t.match(faults("queue/queue.ts", "const a = 1;\nexport { a as default };"), [/default export/]);
    t.match(faults("queue/queue.ts", "enum Mode { take }"), [/enum Mode/]);
    t.match(faults("queue/queue.ts", "const enum Mode { take }"), [/enum Mode/]);
    t.match(faults("queue/index.ts", `export * from "./queue.js";`), [/passes on/]);
    t.same(faults("client/client.ts", `export type { Reply } from "./reply-decoder.js";`), []);
    t.match(faults("queue/queueName.ts", ""), [/kebab-case/]);
    t.match(faults("queue/queue.ts", "process.exit(1);"), [/ends the process/]);
    t.same(faults("queue/queue.ts", "process.exitCode = 1;"), []);
  });
});
