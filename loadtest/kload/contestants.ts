import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OwnProcess } from "../support/own-process.js";
import { OwnServer } from "../support/own-server.js";
import { pinned } from "../support/pinned.js";
import { accepts, freePort } from "./ports.js";

/** A server of this program's own, alone on its port and with a directory that goes with it. */
export interface Running {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server that can be loaded. */
export interface Contestant {
  readonly name: string;
  /** How kload speaks to it. */
  readonly protocol: "memcache" | "redis" | "beanstalk";
  /** False for a server that keeps values but no queues: it can only be put to and got from. */
  readonly isQueue: boolean;
  /** The program that must be installed; null for windhover. */
  readonly program: string | null;
  /** Starts a fresh one on a core of its own. */
  start(core: number): Promise<Running>;
}

/** Ours, with its default settings. */
export const WINDHOVER: Contestant = {
  name: "windhover",
  protocol: "memcache",
  isQueue: true,
  program: null,
  start: (core) => OwnServer.start({ core }),
};

/** What it is compared with: Debian's servers, which write to the disk as ours does; memcached is the floor of any transport. */
export const PEERS: readonly Contestant[] = [
  peer({ name: "beanstalkd", protocol: "beanstalk", program: "beanstalkd" }, (port, directory) => [
    ...["-l", "127.0.0.1", "-p", `${port}`, "-b", directory],
    // Its default is less than 64 KiB.
    ...["-z", "1048576"],
  ]),
  peer({ name: "redis", protocol: "redis", program: "redis-server" }, (port, directory) => [
    ...["--bind", "127.0.0.1", "--port", `${port}`, "--dir", directory, "--logfile", join(directory, "redis.log")],
    ...["--appendonly", "yes", "--appendfsync", "everysec"],
  ]),
  peer({ name: "memcached", protocol: "memcache", program: "memcached", isQueue: false }, (port) => [
    ...["-l", "127.0.0.1", "-p", `${port}`, "-U", "0"],
    // It refuses to run as root unless it is told to.
    ...(process.getuid?.() === 0 ? ["-u", "root"] : []),
  ]),
];

interface Nature {
  readonly name: string;
  readonly protocol: Contestant["protocol"];
  readonly program: string;
  readonly isQueue?: boolean;
}

function peer(nature: Nature, words: (port: number, directory: string) => readonly string[]): Contestant {
  const start = async (core: number): Promise<Running> => {
    const directory = await mkdtemp(join(tmpdir(), `windhover-kload-${nature.name}-`));
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
    try {
      const port = await freePort();
      const command = pinned(core, [nature.program, ...words(port, directory)]);
      // beanstalkd has a line for each connection that goes away.
      const own = await OwnProcess.spawn(command, { quiet: true });
      await served(own, port, nature.name);
      return { port, pid: own.pid, stop: () => own.stop().finally(remove) };
    } catch (error) {
      await remove();
      throw error;
    }
  };
  return { isQueue: true, ...nature, start };
}

/** None of them says when it serves. */
async function served(own: OwnProcess, port: number, name: string): Promise<void> {
  own.stdout.resume();
  const ended = own.ended.then((how) => {
    throw new Error(`${name} ended with ${how} when it should serve`);
  });
  await Promise.race([accepts(port), ended]).catch(async (error: unknown) => {
    await own.stop();
    throw error;
  });
}
