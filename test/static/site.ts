/** A folder of files, and a gateway that serves it. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until as holds } from "../../src/lib/testing/until.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { type Message } from "../support/message.ts";
import { once } from "../support/raw-client.ts";

const PATIENCE_MS = 15_000;

export class Site {
  readonly folder: string;
  readonly root: string;
  #gateway: Gateway | undefined;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "turnpike-static-"));
    this.root = join(this.folder, "root");
    mkdirSync(this.root);
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("Cannot use the gateway: it is not started");
    return this.#gateway;
  }

  async start(server: object = {}, config: object = {}): Promise<void> {
    this.#gateway = await startGateway({
      access_log: { enabled: false },
      ...config,
      server: { static_root: this.root, ...server },
    });
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes a file below the root, and creates its folders. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Sends a request on its own connection; `fields` are whole lines. */
  async ask(path: string, fields = "", method = "GET"): Promise<Message> {
    const head = `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n`;
    return await once(this.gateway.port, head, method);
  }

  /** The names of the open files of the gateway below the root, with deleted ones. */
  openFiles(): string[] {
    const folder = `/proc/${this.gateway.pid}/fd`;
    return readdirSync(folder)
      .flatMap((fd) => {
        try {
          return [readlinkSync(join(folder, fd))];
        } catch {
          // Closed in the meantime.
          return [];
        }
      })
      .filter((path) => path.startsWith(`${this.root}/`))
      .map((path) => path.slice(this.root.length + 1))
      .toSorted();
  }
}

/** Bytes that differ at all offsets that a test could confuse. */
export function pattern(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + (i >> 16)) & 0xff;
  return bytes;
}

/** Calls `done` every few milliseconds until it returns true. Fails with an Error after `PATIENCE_MS`. */
export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  await holds(done, PATIENCE_MS, what);
}
