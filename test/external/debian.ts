import { execFile } from "node:child_process";
import { promisify } from "node:util";
import t from "tap";
import { type Case, transcript } from "../helpers/transcript.js";

const run = promisify(execFile);

const PROBE_MS = 30_000;

/** Debian's own Python, which has Debian's modules; the one on the PATH may be another. */
export const PYTHON = "/usr/bin/python3";

/** Why a client of Debian's cannot be tried: its package is not there, as `probe` fails. Null when it can. */
export async function missingPackage(debianPackage: string, probe: readonly string[]): Promise<string | null> {
  const [command = "", ...words] = probe;
  const works = await run(command, words, { timeout: PROBE_MS, killSignal: "SIGKILL" }).then(
    () => true,
    () => false,
  );
  return works ? null : `Debian's ${debianPackage} is not installed`;
}

/** Cases that share a server, unless what they need is missing. */
export function transcriptUnless(missing: string | null, name: string, write: (it: Case) => void): void {
  if (missing === null) transcript(name, {}, write);
  else t.test(name, { skip: missing }, async () => {});
}
