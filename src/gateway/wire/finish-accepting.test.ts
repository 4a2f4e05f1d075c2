import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { codeOf } from "../../lib/caught.ts";
import { DEAF, listen, type Listener } from "./tcp.ts";
import { listenTls } from "./tls.ts";
import { type Wire } from "./wire.ts";

const PLACE = { address: "127.0.0.1", port: 0, reusePort: true };
const material = { fallback: makeCertificate(), named: [], clientCa: "", clientCertRequired: true };

function onError(error: unknown): void {
  throw error;
}

/** Connects to a port. Returns "connected", or the code of the error. */
function outcome(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve("connected"));
    socket.once("error", (error) => resolve(codeOf(error) ?? "unknown"));
  });
}

const KINDS: readonly [what: string, start: (accept: (wire: Wire) => void) => Promise<Listener>][] = [
  [
    "plain",
    (accept) => {
      const onWire = (wire: Wire): typeof DEAF => {
        accept(wire);
        return DEAF;
      };
      return Promise.resolve(listen({ ...PLACE, accept: onWire, onError }));
    },
  ],
  [
    "TLS",
    (accept) => {
      const onWire = (wire: Wire): typeof DEAF & { onSecure(): void } => {
        accept(wire);
        return { ...DEAF, onSecure() {} };
      };
      return listenTls({ ...PLACE, material, protocols: [], accept: onWire, onError });
    },
  ],
];

/** Opens 20 connections. On SIGTERM it prints the number of lost ones. */
const CLIENT = `
  const { connect } = require("node:net");
  let lost = 0;
  for (let i = 0; i < 20; i++) connect(Number(process.argv[1]), "127.0.0.1").on("error", () => lost++);
  process.on("SIGTERM", () => { console.log("lost " + lost); process.exit(); });
`;

/** The number of connections to a port that the kernel has established, accepted or not. */
function connectionsTo(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  const rows = readFileSync("/proc/net/tcp", "latin1").split("\n");
  // 01 is ESTABLISHED. The clients' ends have the port in the third column.
  return rows.filter((row) => row.includes(local) && row.indexOf(local) < 20 && / 01 /.test(row)).length;
}

for (const [what, start] of KINDS) {
  test(`a ${what} listener that finishes accepts established connections, refuses new ones, and resets none`, async () => {
    const wires: Wire[] = [];
    const listener = await start((wire) => wires.push(wire));
    const { port } = listener;
    const client = Bun.spawn([process.execPath, "-e", CLIENT, "--", String(port)], { stdout: "pipe" });
    try {
      // Without a turn of this event loop, so that the connections wait in the kernel's queue.
      for (let i = 0; i < 500 && connectionsTo(port) < 20; i++) Bun.sleepSync(10);
      const finished = listener.finish();
      expect(wires).toHaveLength(0);
      // Its SYN is dropped while the port closes. The client tries again after a second, and is refused.
      expect(await outcome(port)).toBe("ECONNREFUSED");
      await finished;
      expect(wires).toHaveLength(20);
      client.kill("SIGTERM");
      expect(await client.stdout.text()).toBe("lost 0\n");
    } finally {
      client.kill("SIGKILL");
      for (const wire of wires) wire.terminate();
    }
  });
}
