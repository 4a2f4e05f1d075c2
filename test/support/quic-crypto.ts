/**
 * Packet protection of QUIC (RFC 9001, RFC 9369) and key derivation of TLS 1.3 (RFC 8446 §7.1), only for AES-128-GCM
 * and SHA-256.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";

const TAG_BYTES = 16;
/** RFC 9001 §5.4.2: the sample begins where the longest packet number would end. */
const SAMPLE_OFFSET = 4;
const SAMPLE_BYTES = 16;

/** The differences between versions: the salt and labels of keys, and the types of long packets. */
export interface QuicVersion {
  readonly number: readonly number[];
  readonly salt: Uint8Array;
  readonly label: string;
  readonly initial: number;
  readonly handshake: number;
}

/** RFC 9001 §5.2, RFC 9000 §17.2. */
export const V1: QuicVersion = {
  number: [0, 0, 0, 1],
  salt: Buffer.from("38762cf7f55934b34d179ae6a4c80cadccbb7f0a", "hex"),
  label: "quic",
  initial: 0,
  handshake: 2,
};

/** RFC 9369 §3. */
export const V2: QuicVersion = {
  number: [0x6b, 0x33, 0x43, 0xcf],
  salt: Buffer.from("0dede3def700a6db819381be6e269dcbf9bd2ed9", "hex"),
  label: "quicv2",
  initial: 1,
  handshake: 3,
};

/** The keys that protect the packets of one side on one level. */
export interface PacketKeys {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly mask: Buffer;
}

/** The secrets from which the keys of one level are derived. */
export interface Secrets {
  readonly client: Buffer;
  readonly server: Buffer;
}

export function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const made = createHmac("sha256", key);
  for (const part of parts) made.update(part);
  return made.digest();
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const made = createHash("sha256");
  for (const part of parts) made.update(part);
  return made.digest();
}

/** RFC 8446 §7.1, for up to 32 bytes. */
export function expandLabel(secret: Uint8Array, label: string, context: Uint8Array, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const head = Buffer.from([0, length, name.length]);
  return hmac(secret, head, name, Buffer.from([context.length]), context, Buffer.from([1])).subarray(0, length);
}

export function packetKeys({ label }: QuicVersion, secret: Uint8Array): PacketKeys {
  const none = Buffer.alloc(0);
  return {
    key: expandLabel(secret, `${label} key`, none, 16),
    iv: expandLabel(secret, `${label} iv`, none, 12),
    mask: expandLabel(secret, `${label} hp`, none, 16),
  };
}

/** The secrets of both sides for the first packets to `connectionId`. */
export function initialSecrets({ salt }: QuicVersion, connectionId: Uint8Array): Secrets {
  const secret = hmac(salt, connectionId);
  const none = Buffer.alloc(0);
  return { client: expandLabel(secret, "client in", none, 32), server: expandLabel(secret, "server in", none, 32) };
}

/** A complete packet: `header` ends in a packet number of four bytes, which is `number`. */
export function seal(keys: PacketKeys, header: Uint8Array, number: number, payload: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-128-gcm", keys.key, nonce(keys, number));
  cipher.setAAD(header);
  const body = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
  const packet = Buffer.concat([header, body]);
  const numberAt = header.length - 4;
  toggleMask(packet, maskOf(keys, packet, numberAt), numberAt, 4);
  return packet;
}

export interface Opened {
  readonly number: number;
  readonly payload: Buffer;
}

/**
 * The content of a packet whose number begins at `numberAt`; undefined if it is not for these keys. `largest` is the
 * highest number so far, or -1.
 */
export function open(keys: PacketKeys, packet: Uint8Array, numberAt: number, largest: number): Opened | undefined {
  if (packet.length < numberAt + SAMPLE_OFFSET + SAMPLE_BYTES) return undefined;
  const bytes = Buffer.from(packet);
  const mask = maskOf(keys, bytes, numberAt);
  const first = byteAt(bytes, 0) ^ (byteAt(mask, 0) & lowBits(bytes));
  const length = (first & 3) + 1;
  toggleMask(bytes, mask, numberAt, length);
  const number = wholeNumber(bytes.readUIntBE(numberAt, length), length, largest);
  const header = bytes.subarray(0, numberAt + length);
  const decipher = createDecipheriv("aes-128-gcm", keys.key, nonce(keys, number));
  decipher.setAAD(header);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return {
      number,
      payload: Buffer.concat([decipher.update(bytes.subarray(header.length, -TAG_BYTES)), decipher.final()]),
    };
  } catch {
    // A packet of another connection, or a stateless reset.
    return undefined;
  }
}

/** RFC 9000, Appendix A.3. */
function wholeNumber(truncated: number, length: number, largest: number): number {
  const window = 2 ** (8 * length);
  const expected = largest + 1;
  const candidate = expected - (expected % window) + truncated;
  if (candidate <= expected - window / 2) return candidate + window;
  return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate;
}

function nonce({ iv }: PacketKeys, number: number): Buffer {
  const bytes = Buffer.from(iv);
  bytes.writeUInt32BE((bytes.readUInt32BE(8) ^ number) >>> 0, 8);
  return bytes;
}

function maskOf(keys: PacketKeys, packet: Uint8Array, numberAt: number): Buffer {
  const cipher = createCipheriv("aes-128-ecb", keys.mask, null);
  cipher.setAutoPadding(false);
  return cipher.update(packet.subarray(numberAt + SAMPLE_OFFSET, numberAt + SAMPLE_OFFSET + SAMPLE_BYTES));
}

function toggleMask(packet: Buffer, mask: Uint8Array, numberAt: number, length: number): void {
  packet[0] = byteAt(packet, 0) ^ (byteAt(mask, 0) & lowBits(packet));
  for (let i = 0; i < length; i++) packet[numberAt + i] = byteAt(packet, numberAt + i) ^ byteAt(mask, i + 1);
}

/** The masked bits of the first byte: four in a long header, five in a short one. */
function lowBits(packet: Uint8Array): number {
  return (byteAt(packet, 0) & 0x80) === 0 ? 0x1f : 0x0f;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
