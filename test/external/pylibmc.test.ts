import { ANY_BYTES } from "./client.js";
import { clientCases } from "./client-cases.js";
import { missingPackage, PYTHON } from "./debian.js";
import { ScriptClient } from "./script-client.js";

clientCases({
  name: "pylibmc",
  missing: await missingPackage("python3-pylibmc", [PYTHON, "-c", "import pylibmc"]),
  connect: async (options) => new ScriptClient([PYTHON, "-B"], "pylibmc_client.py", options),
  payload: ANY_BYTES,
  readsOptions: true,
  givesUp: true,
  dropsIdle: false,
  flushAllSays: /Flushed all queues\./,
  stats: "server",
});
