import { attachFilter, type FilterStep, setSocketOption } from "../../lib/net/socket-option.ts";

/**
 * Milliseconds that a closing listener waits for handshakes in progress, about a long round trip; later ones are reset.
 * @bound
 */
const SETTLE_MS = 100;
/** Turns of the event loop after which a closing listener stops waiting for a turn without a new connection. */
const MAX_TURNS = 200;

/** `IP_MINTTL` and `IPV6_MINHOPCOUNT` of Linux. */
const LEAST_TTL = [
  { level: 0, name: 21 },
  { level: 41, name: 73 },
];
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
  dropSyns(listener);
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
const PROGRAM: readonly FilterStep[] = [
  [0x30, 13],
  [0x54, 0x12],
  [0x15, 0x02, 1],
  [0x06, 0xffff_ffff],
  [0x06, 0],
];

/**
 * Makes the kernel drop segments that ask for a new connection. If the user may not attach a program, packets are
 * dropped by their TTL, which usually begins at 64 or 128. The kernel does not apply that limit to handshakes in
 * progress. If both fail, connections that arrive during one turn of the event loop can be reset.
 */
function dropSyns(listener: Listening): void {
  if (attachFilter(listener, PROGRAM)) return;
  for (const option of LEAST_TTL) setSocketOption(listener, option, Int32Array.of(UNREACHED_TTL));
}
