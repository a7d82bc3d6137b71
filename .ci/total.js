// Prints the closing line of .ci/run: node .ci/total.js RESULTS-FILE EXIT-STATUS
// A run that failed although no test did (the build, lint, a budget) has one failure.
import { readFileSync } from "node:fs";
import process from "node:process";

const [, , file, status] = process.argv;
const parts = readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse);
const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
const skipped = sum("skipped");
const failed = sum("failed") || (status === "0" ? 0 : 1);
process.stdout.write(`${sum("passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
