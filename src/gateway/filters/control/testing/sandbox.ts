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
  /** The lines that came, without the greeting. */
  readonly lines: string[];
}

/** Decides what a line is answered with; undefined: nothing. */
export type Answer = (line: string, client: SandboxClient) => string | Uint8Array | undefined;

/** A sandbox's end of the control socket, on a real Unix socket. */
export interface Sandbox {
  readonly path: string;
  readonly clients: readonly SandboxClient[];
  /** Lines of all clients, in the order in which they came. */
  readonly lines: readonly string[];
  /** What the greeting is answered with; at first by `reply(REPORT)`. */
  greet: Answer;
  response: Answer;
  /** Waits until so many commands have come. */
  received(count: number): Promise<void>;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** A reply as the protocol writes it. */
export function reply(output: string | Uint8Array, exit = 0): Buffer {
  const bytes = typeof output === "string" ? Buffer.from(output, "latin1") : output;
  const escaped = [...bytes].flatMap((byte) => (byte === 0x1e || byte === 0x1f ? [0x1f, byte ^ 0x40] : [byte]));
  return Buffer.concat([Buffer.from(escaped), Buffer.from(`\x1e${exit}\n`, "latin1")]);
}

/** Starts a sandbox that answers each command with `done: COMMAND`, at `at` or where it finds room. */
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
