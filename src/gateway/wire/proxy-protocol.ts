import { isIPv4, isIPv6 } from "node:net";

/** Bytes of a header in version 1 with its line end, as the protocol defines it; a longer one is not accepted. */
const MAX_V1_BYTES = 107;
/**
 * Bytes of a PROXY header in version 2; a longer one is not accepted. The protocol allows 64 KiB of extensions;
 * proxies send a few hundred bytes.
 */
const MAX_V2_BYTES = 4096;

const V2_SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const V1_SIGNATURE = Buffer.from("PROXY ", "latin1");

export interface ProxyHeader {
  readonly length: number;
  /** The client's address. Undefined if the connection is the proxy's own, or the proxy does not know the address. */
  readonly address: string | undefined;
}

/** Reads a PROXY protocol header, version 1 or 2, at the beginning of `bytes`. Undefined if there is no valid one. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | "unfinished" | undefined {
  if (beginsLike(bytes, V2_SIGNATURE)) return bytes.length < 16 ? "unfinished" : readV2(bytes);
  if (beginsLike(bytes, V1_SIGNATURE)) return readV1(bytes);
  return undefined;
}

/** True if `bytes` is a beginning of `signature`, or begins with it. */
function beginsLike(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length);
  return bytes.compare(signature, 0, length, 0, length) === 0;
}

/** `PROXY TCP4 192.0.2.1 192.0.2.2 51234 443\r\n`, or TCP6, or UNKNOWN and any text. */
function readV1(bytes: Buffer): ProxyHeader | "unfinished" | undefined {
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, MAX_V1_BYTES));
  const end = text.indexOf("\r\n");
  if (end === -1) return bytes.length < MAX_V1_BYTES ? "unfinished" : undefined;
  const line = text.slice(0, end);
  if (line === "PROXY UNKNOWN" || line.startsWith("PROXY UNKNOWN ")) return { length: end + 2, address: undefined };
  const [, family = "", source = "", target = "", sourcePort = "", targetPort = "", ...rest] = line.split(" ");
  const isAddress = family === "TCP4" ? isIPv4 : family === "TCP6" ? isPlainIPv6 : undefined;
  if (isAddress === undefined || rest.length > 0) return undefined;
  if (!isAddress(source) || !isAddress(target) || !isPort(sourcePort) || !isPort(targetPort)) return undefined;
  return { length: end + 2, address: family === "TCP6" ? shortIPv6(source) : source };
}

/** True for an IPv6 address without zone, because a zone has a meaning only on the proxy's machine. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes("%");
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

/**
 *   12 bytes   1 byte            1 byte              2 bytes   length bytes
 *   signature  version, command  family, transport   length    addresses, ports, extensions
 */
function readV2(bytes: Buffer): ProxyHeader | "unfinished" | undefined {
  const command = bytes[12];
  const length = 16 + bytes.readUInt16BE(14);
  if ((command !== 0x20 && command !== 0x21) || length > MAX_V2_BYTES) return undefined;
  if (bytes.length < length) return "unfinished";
  // LOCAL: the proxy's own connection, such as a health check. The addresses are skipped.
  if (command === 0x20) return { length, address: undefined };
  switch (bytes[13]) {
    case 0x11:
      return length < 16 + 12 ? undefined : { length, address: bytes.subarray(16, 20).join(".") };
    case 0x21:
      return length < 16 + 36 ? undefined : { length, address: ipv6Text(bytes.subarray(16, 32)) };
    // UNSPEC and AF_UNIX have no IP address.
    case 0x00:
    case 0x31:
      return { length, address: undefined };
    case undefined:
    default:
      return undefined;
  }
}

function ipv6Text(bytes: Buffer): string {
  return shortIPv6(Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(":"));
}

/**
 * The shortest form of an IPv6 address (RFC 5952), or IPv4 for an address that is mapped. So a client has the same
 * address with every proxy.
 */
function shortIPv6(address: string): string {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(text);
  if (mapped === null) return text;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
