import t from "tap";
import { SessionWorld } from "../helpers/session-world.js";
import { set } from "../helpers/wire.js";

t.test("dump_stats tells the figures queue by queue, in Kestrel's order, case I155", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  client.tell(set("a", "xyz"));
  client.tell(set("b", "x"));
  const text = client.tell("dump_stats\r\n");
  t.match(text, /^queue 'a' \{\r\n {2}items=1\r\n {2}bytes=3\r\n {2}total_items=1\r\n {2}logsize=\d+\r\n/);
  t.match(text, /\r\n\}\r\nqueue 'b' \{\r\n {2}items=1\r\n[^']*\r\n\}\r\nEND\r\n$/);
  const names = [...text.matchAll(/^ {2}([a-z_]+)=/gm)].map(([, name]) => name);
  t.same(names.slice(0, 16), [
    ...["items", "bytes", "total_items", "logsize", "expired_items", "mem_items", "mem_bytes", "age", "discarded"],
    ...["waiters", "open_transactions", "transactions", "canceled_transactions", "total_flushes"],
    ...["journal_rewrites", "journal_rotations"],
  ]);
});

t.test("dump_stats of some queues tells of these, in their order; one that is not there has no figures", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const name of ["a", "b", "c"]) client.tell(set(name, "x"));
  const text = client.tell("dump_stats c nosuch a\r\n");
  t.same(
    [...text.matchAll(/^queue '(\w+)'/gm)].map(([, name]) => name),
    ["c", "nosuch", "a"],
  );
  t.match(text, /queue 'nosuch' \{\r\n\}\r\nqueue 'a'/);
  t.equal(world.queues.list().length, 3);
  t.equal(new SessionWorld().client().tell("dump_stats\r\n"), "END\r\n");
});

t.test("a parent names its children, an alias its targets", async (t) => {
  const world = new SessionWorld({ aliases: new Map([["all", { destinationQueues: ["a", "b"] }]]) });
  const client = world.client();
  for (const name of ["a+x", "a+y"]) client.tell(`get ${name}\r\n`);
  client.tell(set("a", "x"));
  const text = client.tell("stats\r\n");
  t.match(text, /^STAT queue_a_children a\+x,a\+y\r$/m);
  t.notMatch(text, /queue_a\+x_children/);
  t.match(text, /^STAT queue_all_put_items \d+\r\nSTAT queue_all_put_bytes \d+\r\nSTAT queue_all_children a,b\r$/m);
  t.match(
    client.tell("dump_stats all\r\n"),
    /^queue 'all' \{\r\n {2}put_items=\d+\r\n {2}put_bytes=\d+\r\n {2}children=a,b\r\n\}/,
  );
});

t.test("dump_config tells what holds, as it would stand in the file, case I156", async (t) => {
  const world = new SessionWorld({
    queues: new Map([["a", { maxItems: 5, maxAgeMs: 60_000, expireToQueue: "caf\xc3\xa9" }]]),
  });
  const client = world.client();
  client.tell("get b\r\n");
  const named = client.tell("dump_config a\r\n");
  t.match(named, /^queue 'a' \{\r\n {2}max_items=5\r\n {2}max_size="none"\r\n/);
  t.match(named, /\r\n {2}max_age="1m"\r\n/);
  t.match(named, /\r\n {2}expire_to_queue="caf\xc3\xa9"\r\n/);
  t.match(named, /\r\n {2}sync_journal="never"\r\n/);
  t.match(named, /\r\n\}\r\nEND\r\n$/);
  t.match(client.tell("dump_config\r\n"), /^queue 'b' \{\r\n {2}max_items="none"\r\n/);
  t.equal(world.queues.list().length, 1, "nothing was created");
});

t.test("many queues are told of in parts, between which others are served, case I149", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (let i = 0; i < 500; i++) client.tell(set(`q${i}`, "x"));
  const stream = client.stream("stats\r\n");
  const first = stream.next();
  t.type(first, "string");
  const parts = [first as string];
  for (let part = stream.next(); part !== null; part = stream.next()) {
    t.type(part, Promise);
    client.tell(set("another", "x"));
    client.tell("delete q499\r\n");
    parts.push((await part) ?? "");
  }
  t.ok(parts.length > 5);
  const text = parts.join("");
  t.equal(text.match(/^STAT queue_q\d+_items 1\r$/gm)?.length, 499);
  t.equal(text.match(/^STAT uptime/gm)?.length, 1);
  t.equal(text.match(/^END\r\n/gm)?.length, 1);
  t.ok(text.endsWith("END\r\n"));
});

t.test("flush_expired and flush_all_expired say how many items went", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  for (const name of ["a", "b"]) client.tell(`set ${name} 0 1 1\r\nx\r\n`);
  client.tell(set("a", "y"));
  world.clock.pass(2000);
  t.equal(client.tell("flush_expired a\r\n"), "1\r\n");
  t.equal(client.tell("flush_expired nosuch\r\n"), "0\r\n");
  t.match(client.tell("flush_expired a.b\r\n"), /^CLIENT_ERROR .*\r\n$/);
  t.equal(client.tell("flush_all_expired\r\n"), "1\r\n");
  t.equal(client.tell("flush_all_expired\r\n"), "0\r\n");
  t.equal(world.queues.list().length, 2);
});

t.test("reload is answered when it is done, and holds what comes behind it", async (t) => {
  const world = new SessionWorld();
  const client = world.client();
  let done: () => void = () => {};
  world.reload = () => new Promise((resolve) => (done = resolve));
  const answer = client.wait("reload\r\n");
  t.ok(client.session.waiting);
  done();
  t.equal(await answer, "Reloaded config.\r\n");
  t.notOk(client.session.waiting);
  world.reload = () => Promise.reject(new Error("windhover.toml: queue.q.max_item: unknown"));
  t.equal(await client.wait("reload\r\n"), "SERVER_ERROR windhover.toml: queue.q.max_item: unknown\r\n");
});

t.test("delete and flush_all are worded as the listener speaks", async (t) => {
  const world = new SessionWorld({ listener: { memcachedWords: true } });
  const client = world.client();
  t.equal(client.tell("delete q\r\n"), "NOT_FOUND\r\n");
  client.tell(set("q", "a"));
  t.equal(client.tell("delete q\r\n"), "DELETED\r\n");
  t.equal(await client.wait("flush_all\r\n"), "OK\r\n");
});

t.test("an item has its flags where its queue or its listener keeps them, case A22", async (t) => {
  const queues = new Map([["kept", { keepFlags: true }]]);
  const put = "0 1\r\na\r\n";
  const kestrel = new SessionWorld({ queues }).client();
  for (const name of ["kept", "other"]) kestrel.tell(`set ${name} 7 ${put}`);
  t.match(kestrel.tell("get kept\r\n"), /^VALUE kept 7 1\r\n/);
  t.match(kestrel.tell("get other\r\n"), /^VALUE other 0 1\r\n/);
  const memcached = new SessionWorld({ listener: { keepFlags: true } }).client();
  memcached.tell(`set q 7 ${put}`);
  t.match(memcached.tell("get q/open\r\n"), /^VALUE q 7 1\r\n/);
});
