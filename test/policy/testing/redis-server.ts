/** A real Redis server for one test, if the system has Redis. */
import { accessSync, constants } from "node:fs";
import { Folder, until } from "../../support/program.ts";
import { isInstalled } from "../../../src/lib/testing/installed.ts";

const BINARY = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** Tests that need it are skipped without it. */
export const hasRedis = isInstalled("redis-server", BINARY !== undefined);

export class RedisServer {
  readonly #folder = new Folder();
  #process: Bun.Subprocess | undefined;

  static async start(): Promise<RedisServer> {
    const server = new RedisServer();
    await server.start();
    return server;
  }

  /** The URL of a Unix socket, which is the same after a further `start` of the server. */
  get url(): string {
    return `redis+unix://${this.#socket}`;
  }

  get #socket(): string {
    return this.#folder.file("redis.sock");
  }

  /** Starts the server without data. */
  async start(): Promise<void> {
    if (BINARY === undefined) throw new Error("Cannot start Redis: it is not installed");
    const settings = ["--port", "0", "--unixsocket", this.#socket, "--save", "", "--appendonly", "no"];
    this.#process = Bun.spawn([BINARY, ...settings, "--dir", this.#folder.path], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    await until("Redis answers", async () => ((await this.#responses()) ? true : undefined));
  }

  /** The reply to a client of the test. */
  async ask(command: string, ...args: string[]): Promise<unknown> {
    const client = new Bun.RedisClient(this.url, { autoReconnect: false });
    try {
      return await client.send(command, args);
    } finally {
      client.close();
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Kills it without a warning, like a power failure. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#process?.exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    this.#folder.remove();
  }

  async #responses(): Promise<boolean> {
    try {
      return (await this.ask("PING")) === "PONG";
    } catch {
      return false;
    }
  }
}
