/** The CPU time and memory that first packets of QUIC cost a gateway, if no handshake follows them. */
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../src/lib/testing/listen.ts";
import { LOCALHOST } from "../test/support/certificates.ts";
import { accepts, type Children, processTree, waitFor } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { pick } from "./support/options.ts";
import { startTurnpike } from "./support/programs.ts";

const PACKETS = 15_000;
const SECONDS = 5;
/** The packets that are sent at a time. */
const BURST = 15;
const PACKET_BYTES = 1200;
/** Milliseconds in which the gateway reads the last packets. */
const SETTLE_MS = 2000;

const CASES = [
  { name: "none", about: "without a token", token: 0, version: 1 },
  { name: "invalid", about: "with an invalid token", token: 64, version: 1 },
  { name: "version", about: "of an unknown version", token: 0, version: 0x1a2a_3a4a },
] as const;
type Case = (typeof CASES)[number];

interface Options {
  readonly cases: readonly Case[];
  readonly sockets: number;
}

/** Returns the exit code of `compare`. */
export async function runQuicInitialsBench(args: readonly string[]): Promise<number> {
  const usage = `usage: npm run bench -- quic-initials [--only CASE,...] [--sockets N]\ncases: ${CASES.map(({ name }) => name).join(", ")}`;
  return await compare({ name: "quic-initials", usage, tools: [], read: readOptions, measure }, args);
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string" }, sockets: { type: "string", default: "1" } },
  });
  return { cases: pick(CASES, values.only), sockets: Math.max(1, Number(values.sockets)) };
}

async function measure(children: Children, { cases, sockets }: Options): Promise<void> {
  console.log(`${PACKETS} Initial packets in ${SECONDS} s, from ${sockets} ports`);
  for (const one of cases) {
    const group = children.group();
    const port = await freePort();
    const [cert_path, key_path] = [join(group.folder, "cert.pem"), join(group.folder, "key.pem")];
    writeFileSync(cert_path, LOCALHOST.cert);
    writeFileSync(key_path, LOCALHOST.key);
    const gateway = startTurnpike(group, "turnpike", {
      server: {
        workers: 1,
        listeners: [{ address: "127.0.0.1", port, use_tls: true, quic_enabled: true, quic_port: port }],
      },
      tls: { cert_path, key_path },
      access_log: { enabled: false },
      routes: [{ path_prefix: "/", fixed_response: { status: 200 } }],
    });
    await waitFor(gateway, "turnpike", () => accepts(port));
    await Bun.sleep(SETTLE_MS);
    const cpu = (): number => processTree(gateway.pid).reduce((sum, pid) => sum + cpuNanoseconds(pid), 0) / 1e9;
    const [cpuBefore, memoryBefore] = [cpu(), residentMb(gateway.pid)];
    const replies = await flood(one, port, sockets);
    const used = (cpu() - cpuBefore).toFixed(2);
    const memory = `${memoryBefore.toFixed(0)} -> ${residentMb(gateway.pid).toFixed(0)} MB`;
    console.log(`${one.about.padEnd(24)} ${used} s of CPU, ${memory}, ${replies} replies`);
    await group.close();
  }
}

/** Sends the packets, and returns the number of replies. */
async function flood(one: Case, port: number, count: number): Promise<number> {
  let replies = 0;
  const sockets: Socket[] = Array.from({ length: count }, () => createSocket("udp4").on("message", () => replies++));
  const begun = performance.now();
  for (let sent = 0; sent < PACKETS; sent += BURST) {
    for (let i = 0; i < BURST; i++) sockets[(sent + i) % count]?.send(initial(one), port, "127.0.0.1");
    await Bun.sleep(Math.max(0, begun + ((sent + BURST) / PACKETS) * SECONDS * 1000 - performance.now()));
  }
  await Bun.sleep(SETTLE_MS);
  for (const socket of sockets) socket.close();
  return replies;
}

/** A packet that no key decrypts, with other connection ids each time (RFC 9000 §17.2.2). */
function initial({ token, version }: Case): Buffer {
  const bytes = randomBytes(PACKET_BYTES);
  bytes[0] = 0xc3;
  bytes.writeUInt32BE(version, 1);
  bytes[5] = 8;
  bytes[14] = 8;
  let at = 23;
  bytes.writeUInt16BE(0x4000 | token, at);
  at += 2 + token;
  // The rest of the datagram.
  bytes.writeUInt16BE(0x4000 | (PACKET_BYTES - at - 2), at);
  return bytes;
}

function residentMb(pid: number): number {
  const kilobytes = processTree(pid).map((member) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/status`, "latin1"))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}
