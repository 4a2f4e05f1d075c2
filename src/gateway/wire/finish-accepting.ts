import { dlopen, ptr } from "bun:ffi";

/**
 * Milliseconds that a closing listener waits for handshakes in progress, about a long round trip; later ones are reset.
 * @bound
 */
const SETTLE_MS = 100;
/** Turns of the event loop after which a closing listener stops waiting for a turn without a new connection. */
const MAX_TURNS = 200;

const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const IPPROTO_IP = 0;
const IP_MINTTL = 21;
const IPPROTO_IPV6 = 41;
const IPV6_MINHOPCOUNT = 73;
/** The TTL that a packet must have. A router decreases it, and most hosts begin with a lower one. */
const UNREACHED_TTL = 255;

/** The part of Bun's listening socket that is used here. */
interface Listening {
  stop(closeActiveConnections?: boolean): void;
}

/**
 * Closes a listening socket without a reset of connections that the kernel has already established. A client that
 * connects meanwhile gets no response and tries again after a second (RFC 6298 §2.1). Then another process accepts the
 * connection, or it is refused. `accepted` returns the number of connections accepted so far.
 */
export async function finishAccepting(listener: Listening, accepted: () => number): Promise<void> {
  const fd: unknown = Reflect.get(listener, "fd");
  if (typeof fd === "number") dropSyns(fd);
  const settled = performance.now() + SETTLE_MS;
  let seen = -1;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const left = settled - performance.now();
    if (left <= 0 && seen === accepted()) break;
    seen = accepted();
    // A turn of the event loop accepts all queued connections.
    await Bun.sleep(Math.max(1, left));
  }
  listener.stop(false);
}

/**
 * A classic BPF program over the TCP header (RFC 9293 §3.1): a segment with SYN and without ACK is dropped, all others pass.
 *
 *   ldb [13]; and #0x12; jeq #0x02, drop; pass: ret -1; drop: ret 0
 */
const PROGRAM: readonly (readonly [code: number, jumpTrue: number, jumpFalse: number, k: number])[] = [
  [0x30, 0, 0, 13],
  [0x54, 0, 0, 0x12],
  [0x15, 1, 0, 0x02],
  [0x06, 0, 0, 0xffff_ffff],
  [0x06, 0, 0, 0],
];

/**
 * Makes the kernel drop segments that ask for a new connection. If the user may not attach a program, packets are
 * dropped by their TTL, which usually begins at 64 or 128. The kernel does not apply that limit to handshakes in
 * progress. If both fail, connections that arrive during one turn of the event loop can be reset.
 */
function dropSyns(fd: number): void {
  const instructions = new DataView(new ArrayBuffer(PROGRAM.length * 8));
  for (const [i, [code, jumpTrue, jumpFalse, k]] of PROGRAM.entries()) {
    instructions.setUint16(i * 8, code, true);
    instructions.setUint8(i * 8 + 2, jumpTrue);
    instructions.setUint8(i * 8 + 3, jumpFalse);
    instructions.setUint32(i * 8 + 4, k, true);
  }
  const filter = new DataView(new ArrayBuffer(16));
  filter.setUint16(0, PROGRAM.length, true);
  filter.setBigUint64(8, BigInt(ptr(instructions)), true);
  try {
    const libc = dlopen("libc.so.6", {
      setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
    });
    const { setsockopt } = libc.symbols;
    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, ptr(filter), filter.byteLength) !== 0) {
      const ttl = Int32Array.of(UNREACHED_TTL);
      setsockopt(fd, IPPROTO_IP, IP_MINTTL, ptr(ttl), ttl.byteLength);
      setsockopt(fd, IPPROTO_IPV6, IPV6_MINHOPCOUNT, ptr(ttl), ttl.byteLength);
    }
    libc.close();
  } catch {
    // Another C library is installed, or it cannot be loaded.
  }
}
