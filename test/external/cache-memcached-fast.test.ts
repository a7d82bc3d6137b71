import { ANY_BYTES } from "./client.js";
import { clientCases } from "./client-cases.js";
import { missingPackage } from "./debian.js";
import { ScriptClient } from "./script-client.js";

clientCases({
  name: "Perl's Cache::Memcached::Fast",
  missing: await missingPackage("libcache-memcached-fast-perl", ["perl", "-MCache::Memcached::Fast", "-e", "1"]),
  connect: async (options) => new ScriptClient(["perl"], "cache-memcached-fast-client.pl", options),
  payload: ANY_BYTES,
  readsOptions: true,
  givesUp: true,
  dropsIdle: false,
  flushAllSays: false,
  stats: null,
});
