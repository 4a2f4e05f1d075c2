import { setSocketOption } from "../../lib/net/socket-option.ts";

/** `TCP_NOTSENT_LOWAT` of Linux. */
const UNSENT_LOW_WATER = { level: 6, name: 25 };

/**
 * Bytes that the kernel keeps unsent for one TCP connection, on Linux; the rest waits in the memory for slow peers.
 * Without this limit the kernel's buffer for a peer that reads slowly grows to the last number of
 * `net.ipv4.tcp_wmem`, 4 MiB by default. The process pauses the source of the rest. @internal
 */
export const MAX_UNSENT_BYTES = 1024 * 1024;

const value = Int32Array.of(MAX_UNSENT_BYTES);

/** Limits what the kernel keeps for a socket of Bun. The connections of a listener inherit the limit. */
export function limitUnsent(socket: object): void {
  setSocketOption(socket, UNSENT_LOW_WATER, value);
}
