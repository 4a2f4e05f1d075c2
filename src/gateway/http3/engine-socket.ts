import { ptr } from "bun:ffi";
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { attachFilter, type FilterStep, setSocketOption } from "../../lib/net/socket-option.ts";
import { cFunctions } from "../../lib/process/c-library.ts";
import { udpDescriptors } from "./udp-sockets.ts";

/** Constants of Linux: levels and names of socket options, and address families. */
const RECEIVE_ERRORS = { level: 0, name: 11 };
const RECEIVE_ERRORS_V6 = { level: 41, name: 25 };
const REUSE_PORT = { level: 1, name: 15 };
const INET = 2;
const INET6 = 10;

/** Bytes of the UDP header, at which a packet begins for the filter. */
const UDP_HEADER = 8;
/** RFC 9000 §14.1: a datagram with an Initial packet has at least this number of bytes. */
const MIN_INITIAL_BYTES = 1200;
const VERSION_2 = 0x6b33_43cf;
/**
 * A filter program in the form of `struct sock_filter`, one step a line. The kernel drops:
 *
 * - Packets with the source port 0. Sending to port 0 fails, and after a failed send the engine stops sending: one such
 *   packet would stop it for ten seconds.
 * - Initial packets, and packets of unknown versions, in datagrams that are too short (RFC 9000 §14.1, §6.1). The engine
 *   would keep state for each Initial.
 * - Retry packets and version negotiation, which only servers send.
 */
const FILTER: readonly FilterStep[] = [
  // The source port.
  [0x28, 0],
  [0x15, 0, 15],
  // The first byte: a packet with a short header belongs to a connection.
  [0x30, UDP_HEADER],
  [0x45, 0x80, 0, 14],
  // The version: 0 is version negotiation.
  [0x20, UDP_HEADER + 1],
  [0x15, 0, 11],
  [0x15, 1, 4],
  [0x15, VERSION_2, 0, 7],
  // The types of version 2 are those of version 1 plus 0x10 (RFC 9369 §3.2).
  [0x30, UDP_HEADER],
  [0x04, 0x30],
  [0x05, 1],
  [0x30, UDP_HEADER],
  // The type: 0x00 is Initial, 0x30 is Retry.
  [0x54, 0x30],
  [0x15, 0x30, 3],
  [0x15, 0, 0, 3],
  // The length of the datagram.
  [0x80, 0],
  [0x35, UDP_HEADER + MIN_INITIAL_BYTES, 1],
  // Drop, and accept.
  [0x06, 0],
  [0x06, 0xff_ff_ff_ff],
];

const ON_ADDRESS = { args: ["i32", "ptr", "u32"], returns: "i32" } as const;
const libc = cFunctions({ connect: ON_ADDRESS, bind: ON_ADDRESS });

/**
 * Changes settings of the engine's UDP socket for which the engine has no option. The engine does not expose the
 * socket, so it is found in /proc by the port that the kernel chose for it. Throws if it is not found or cannot be
 * changed.
 * ICMP errors are ignored: Bun enables their reporting, and Linux reports them as a failure of the next send to any
 * address. The engine then stops sending for a second, so three clients that disappear would stop all others
 * (test/http3/program.test.ts).
 * The port is shared: the engine binds without SO_REUSEPORT. A UDP socket with a port that the kernel chose releases it
 * when it is disconnected, and can then be bound to another.
 */
export function prepareSocket(chosenPort: number, { address, port }: { address: string; port: number }): void {
  const found = udpDescriptors("self", new Set([chosenPort]));
  const [fd] = found;
  if (fd === undefined || found.length > 1) throw new Error("Cannot serve HTTP/3: the UDP socket cannot be found");
  // A socket for IPv6 can have clients of both families.
  const options = isIPv6(address) ? [RECEIVE_ERRORS, RECEIVE_ERRORS_V6] : [RECEIVE_ERRORS];
  if (!options.every((option) => setSocketOption(fd, option, Int32Array.of(0)))) {
    throw new Error("Cannot serve HTTP/3: cannot make the UDP socket ignore ICMP errors");
  }
  if (!attachFilter(fd, FILTER)) throw new Error("Cannot serve HTTP/3: the UDP socket takes no filter");
  if (port === 0) return;
  const [nowhere, own] = [new Uint8Array(16), socketAddress(address, port)];
  const isDisconnected = libc()?.connect(fd, ptr(nowhere), nowhere.length) === 0;
  const isShared = setSocketOption(fd, REUSE_PORT, Int32Array.of(1));
  const isBound = libc()?.bind(fd, ptr(own), own.length) === 0;
  if (!isDisconnected || !isShared || !isBound)
    throw new Error(`Cannot listen on ${address}:${port}: UDP cannot be bound there`);
}

/** `struct sockaddr_in` or `sockaddr_in6`. */
function socketAddress(address: string, port: number): Uint8Array {
  const parsed = ipaddr.parse(address);
  const v6 = parsed.kind() === "ipv6";
  const bytes = new Uint8Array(v6 ? 28 : 16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, v6 ? INET6 : INET, true);
  view.setUint16(2, port);
  bytes.set(parsed.toByteArray(), v6 ? 8 : 4);
  return bytes;
}
