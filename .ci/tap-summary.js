// Reads the TAP of one part of .ci/run on stdin: node .ci/tap-summary.js RESULTS-FILE
// Prints a line for each test file, each failure with all that tap says of it, and whatever else comes along (the
// coverage table, a build error). Adds {passed, failed, skipped} as one line of JSON to RESULTS-FILE.
//
// What counts as one test is an innermost subtest (a `t.test(...)` that holds no further one), or a file that has none:
// single assertions would count a loop over a thousand cuts as a thousand tests. What goes wrong outside of the innermost
// subtests (an assertion between them, a file that crashed or ended early) counts as one failed test more.
import { appendFileSync } from "node:fs";
import process from "node:process";
import { Parser } from "tap-parser";

const counts = { passed: 0, failed: 0, skipped: 0 };
const print = (text) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);

/** Follows one level of TAP and the levels in it. `trail` is the titles from the file down to here. */
function follow(parser, trail) {
  const level = { subtests: 0, failedSubtests: 0, failed: 0, asserts: 0, skipped: 0 };
  let subtest = null;
  parser.on("child", (child) => {
    level.subtests += 1;
    subtest = follow(child, [...trail, child.name]);
  });
  parser.on("assert", (result) => {
    const outcome = outcomeOf(result);
    if (outcome === "failed") level.failed += 1;
    if (outcome === "failed" && !subtest?.failed) printFailure(result, trail);
    if (subtest === null) noteAssert(level, trail, outcome);
    else noteSubtest(level, subtest, outcome);
    if (trail.length === 0) print(`   ${outcome} ${result.name}`);
    subtest = null;
  });
  parser.on("comment", (text) => {
    if (!/^# (Subtest|time=|\{ total)/.test(text)) print(`   ${text}`);
  });
  return level;
}

/** An assertion that closes no subtest. At the top it is tap itself that speaks, of a file that ran out of time. */
function noteAssert(level, trail, outcome) {
  level.asserts += 1;
  if (outcome === "skipped") level.skipped += 1;
  if (outcome === "failed" && trail.length === 0) counts.failed += 1;
}

function outcomeOf({ ok, skip, todo }) {
  if (skip || todo) return "skipped";
  return ok ? "passed" : "failed";
}

/** A subtest that has just ended; `outcome` is what the line after it says. */
function noteSubtest(level, subtest, outcome) {
  if (outcome === "failed") level.failedSubtests += 1;
  if (subtest.subtests === 0) {
    const ranNothing = outcome === "passed" && subtest.asserts === subtest.skipped;
    counts[ranNothing ? "skipped" : outcome] += 1;
  } else {
    counts.skipped += subtest.skipped;
    if (outcome === "failed" && subtest.failedSubtests === 0) counts.failed += 1;
  }
}

function printFailure(result, trail) {
  print(`   FAILED ${[...trail, result.name].join(" > ")}`);
  for (const [key, value] of Object.entries(result.diag ?? {})) {
    print(`${key}: ${typeof value === "string" ? value : JSON.stringify(value).slice(0, 500)}`.replace(/^/gm, "     "));
  }
}

// A part that runs over its budget is told to stop with all that runs in it: still count what came before.
process.on("SIGTERM", () => {});
const parser = new Parser();
follow(parser, []);
parser.on("extra", print);
parser.on("complete", ({ ok }) => {
  if (!ok && counts.failed === 0) counts.failed = 1;
  appendFileSync(process.argv[2], `${JSON.stringify(counts)}\n`);
});
process.stdin.pipe(parser);
