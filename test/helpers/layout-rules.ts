import path from "node:path";
import ts from "typescript";

/**
 * Who may import whom inside `src`, as data, and the rules that hold one source file against it. The table is the one of
 * the architecture map: a folder that has no row, or an import that no row allows, is a fault.
 */

/** Words that every folder shares. They import nothing of ours, or they would drag it into every folder. */
const words: readonly string[] = ["item", "clock", "errors", "log"];

const core = ["protocol", "journal", "stats", "config", "page", "status", "queue", "session", "net"];
const server = [...core, "metrics", "admin", "cluster"];

/** Row → what it may import: a whole folder (`queue`) or one file of it (`protocol/command`). Own files always go. */
const table: Readonly<Record<string, readonly string[]>> = {
  item: [],
  clock: [],
  errors: [],
  log: [],
  protocol: [],
  journal: [],
  stats: [],
  config: ["queue/queue-name"],
  page: [],
  scheduling: [],
  status: ["config"],
  queue: ["journal", "config", "stats"],
  session: ["queue", "status", "stats", "config", "protocol/command", "protocol/reply"],
  net: ["session", "stats", "protocol/codec", "protocol/byte-buffer"],
  metrics: ["queue", "status", "stats"],
  admin: ["queue", "session", "status", "stats", "config", "metrics", "page"],
  cluster: ["status", "config"],
  server,
  client: ["protocol/byte-buffer", "protocol/memcache/key-options", "cluster/server-set"],
  worker: ["client", "scheduling", "config", "cluster", "page"],
  monitor: ["client", "scheduling", "config", "cluster", "page"],
  tools: ["journal", "client", "config", "queue/queue-name"],
  cli: ["server", "tools", "client", "worker", "monitor", "scheduling", "config"],
  main: ["cli", "server", "tools", "client", "worker", "monitor", "scheduling", "config"],
};

/** Files at the root of `src`; every other row of the table is a folder. */
const rootFiles: readonly string[] = [...words, "server", "main"];

/** Packages and built-ins with one home each. Everything else may be imported wherever it is needed. */
const homes: readonly { readonly packages: RegExp; readonly in: readonly string[] }[] = [
  { packages: /^(level|classic-level|abstract-level)$/, in: ["journal/store"] },
  { packages: /^prom-client$/, in: ["metrics", "scheduling/metrics"] },
  { packages: /^node:(net|tls)$/, in: ["net", "client"] },
  { packages: /^node:(http|https|http2)$/, in: ["admin", "monitor", "worker/metrics-endpoint"] },
  { packages: /zookeeper/i, in: ["cluster"] },
  { packages: /^pino$/, in: ["log"] },
];

/** A file of `src`, by its path below it (`queue/queue.ts`) and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What the package says of itself: the sources of its `exports`, and what it depends on at run time. */
export interface PackageFacts {
  readonly doors: readonly string[];
  readonly dependencies: readonly string[];
}

/** What the rules look at in a file. */
interface Findings {
  readonly imports: string[];
  readonly faults: string[];
}

const withoutExtension = (file: string): string => file.replace(/\.[jt]s$/, "");
const topOf = (module: string): string => module.split("/", 1)[0] ?? module;

/** True if `module` (`protocol/command`) is `place` or lies in it. */
const isIn = (module: string, place: string): boolean => module === place || module.startsWith(`${place}/`);

/** A folder of `src` that the table does not know. Null when all is well. */
export function folderFault(folder: string): string | null {
  const known = folder in table && !rootFiles.includes(folder);
  return known ? null : `${folder}/: has no row in the table of who may import whom`;
}

/** Everything that is wrong with the layout of one file, each as a sentence that begins with its path. */
export function layoutFaults(file: SourceFile, facts: PackageFacts): readonly string[] {
  const module = withoutExtension(file.path);
  const found = readModule(file, facts.doors.includes(file.path));
  const faults = [
    ...nameFaults(module),
    ...found.faults,
    ...found.imports.flatMap((specifier) => importFaults(module, specifier, facts)),
  ];
  return faults.map((fault) => `${file.path}: ${fault}`);
}

function nameFaults(module: string): readonly string[] {
  const top = topOf(module);
  if (top === module && !rootFiles.includes(module)) return ["is no root file of the table"];
  if (top !== module && folderFault(top) !== null) return [`lies in ${top}/, which has no row in the table`];
  return module.split("/").every((part) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part)) ? [] : ["is not kebab-case"];
}

function importFaults(module: string, specifier: string, facts: PackageFacts): readonly string[] {
  if (specifier.startsWith(".")) return ownImportFaults(module, specifier);
  if (specifier === "windhover/package.json") return [];
  return packageFaults(module, specifier, facts.dependencies);
}

function ownImportFaults(module: string, specifier: string): readonly string[] {
  const target = withoutExtension(path.posix.join(path.posix.dirname(module), specifier));
  if (target.startsWith("..")) return [`imports "${specifier}", outside of src`];
  const row = topOf(module);
  if (words.includes(row)) return [`imports ${target}, but the words at the root import nothing of ours`];
  const isOwn = row !== module && isIn(target, row);
  const mayImport = isOwn || words.includes(target) || (table[row] ?? []).some((place) => isIn(target, place));
  return mayImport ? [] : [`imports ${target}, which ${row} may not`];
}

function packageFaults(module: string, specifier: string, dependencies: readonly string[]): readonly string[] {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const home = homes.find(({ packages }) => packages.test(name));
  if (home !== undefined && !home.in.some((place) => isIn(module, place))) {
    return [`imports ${name}, which belongs to ${home.in.join(", ")} only`];
  }
  const isListed = name.startsWith("node:") || dependencies.includes(name);
  return isListed ? [] : [`imports ${name}, which is no dependency in package.json`];
}

/** Reads a file with the compiler's own parser, so that comments and strings cannot pass for code. */
function readModule(file: SourceFile, isDoor: boolean): Findings {
  const found: Findings = { imports: [], faults: [] };
  const visit = (node: ts.Node): void => {
    readImport(node, found);
    readForm(node, isDoor, file.path, found);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest));
  return found;
}

function readImport(node: ts.Node, found: Findings): void {
  const specifier = specifierOf(node);
  if (specifier === undefined) return;
  if (ts.isStringLiteralLike(specifier)) found.imports.push(specifier.text);
  else found.faults.push("imports something by a name that is computed");
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  return ts.isCallExpression(node) && loadsModule(node) ? node.arguments[0] : undefined;
}

/** `import(…)`, `require(…)` and `createRequire(…)(…)`. */
function loadsModule({ expression }: ts.CallExpression): boolean {
  const isNamed = (node: ts.Node, name: string): boolean => ts.isIdentifier(node) && node.text === name;
  if (expression.kind === ts.SyntaxKind.ImportKeyword || isNamed(expression, "require")) return true;
  return ts.isCallExpression(expression) && isNamed(expression.expression, "createRequire");
}

function readForm(node: ts.Node, isDoor: boolean, file: string, found: Findings): void {
  if (ts.isEnumDeclaration(node)) found.faults.push(`declares the enum ${node.name.text}`);
  if (ts.isExportAssignment(node) || isMarkedDefault(node)) found.faults.push("has a default export");
  if (ts.isExportDeclaration(node) && !isDoor && node.moduleSpecifier !== undefined) {
    found.faults.push("passes on the exports of another module, which only the package's doors do");
  }
  if (file !== "main.ts" && endsProcess(node)) found.faults.push("ends the process, which only main.ts does");
}

function isMarkedDefault(node: ts.Node): boolean {
  if (ts.isExportSpecifier(node)) return node.name.text === "default";
  if (!ts.canHaveModifiers(node)) return false;
  return ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false;
}

function endsProcess(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression: object, name } = node.expression;
  return ts.isIdentifier(object) && object.text === "process" && (name.text === "exit" || name.text === "abort");
}
