import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../../lib/testing/until.ts";

/** The report of a sandbox that speaks version 1. */
export const REPORT = "sandbox test\nproto_version=1\n";

/** One connection to the sandbox. */
export interface SandboxClient {
  readonly socket: Socket;
  /** The lines that arrived, without the greeting. */
  readonly lines: string[];
}

/** Returns the reply to a line; undefined for no reply. */
export type Responder = (line: string, client: SandboxClient) => string | Uint8Array | undefined;

/** The sandbox's end of the control socket, on a real Unix socket. */
export interface Sandbox {
  readonly path: string;
  readonly clients: readonly SandboxClient[];
  /** The lines of all clients, in the order of their arrival. */
  readonly lines: readonly string[];
  /** Returns the reply to the greeting. The initial value is `reply(REPORT)`. */
  greet: Responder;
  response: Responder;
  /** Waits until `count` commands have arrived. */
  received(count: number): Promise<void>;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** A reply in the protocol's encoding. */
export function reply(output: string | Uint8Array, exit = 0): Buffer {
  const bytes = typeof output === "string" ? Buffer.from(output, "latin1") : output;
  const escaped = [...bytes].flatMap((byte) => (byte === 0x1e || byte === 0x1f ? [0x1f, byte ^ 0x40] : [byte]));
  return Buffer.concat([Buffer.from(escaped), Buffer.from(`\x1e${exit}\n`, "latin1")]);
}

/** Starts a sandbox that replies to each command with `done: COMMAND`. It listens at `at`, or else at a free path. */
export async function startSandbox(at?: string): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-sandbox-"));
  const path = at ?? join(folder, "control.sock");
  const clients: SandboxClient[] = [];
  const lines: string[] = [];
  const sandbox: Sandbox = {
    path,
    clients,
    lines,
    greet: () => reply(REPORT),
    response: (line) => reply(`done: ${line}`),
    received: (count) => until(() => lines.length >= count, undefined, `${count} commands`),
    cut() {
      for (const { socket } of clients) socket.destroy();
    },
    async close() {
      sandbox.cut();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  function heard(line: string, client: SandboxClient): void {
    const isGreeting = line === "__info__";
    if (!isGreeting) {
      lines.push(line);
      client.lines.push(line);
    }
    const response = (isGreeting ? sandbox.greet : sandbox.response)(line, client);
    if (response !== undefined) client.socket.write(response);
  }
  const server = createServer((socket) => {
    const client = { socket, lines: [] };
    clients.push(client);
    let rest = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("latin1");
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        heard(line, client);
      }
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(path, () => resolve());
  await promise;
  return sandbox;
}
