import { createHash, randomBytes } from "node:crypto";
import { type Fields, fieldValue } from "./fields.ts";

/** RFC 6455 §1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** RFC 6455 §4.1; on the wire 8, the last draft's, is the same. */
const VERSIONS: readonly string[] = ["13", "8"];
/** 16 bytes of base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** `Sec-WebSocket-Version` of a handshake: known, absent, or one that nobody speaks. */
export function versionOf(fields: Fields): "known" | "absent" | "unknown" {
  const version = fieldValue(fields, "sec-websocket-version");
  if (version === undefined) return "absent";
  return VERSIONS.includes(version) ? "known" : "unknown";
}

/** True for what a `Sec-WebSocket-Key` must be (RFC 6455 §4.1): 16 bytes in base64. */
export function isWebSocketKey(key: string): boolean {
  return KEY.test(key);
}

/** A `Sec-WebSocket-Key` for a handshake of our own. */
export function newWebSocketKey(): string {
  return randomBytes(16).toString("base64");
}

/** The `Sec-WebSocket-Accept` that proves that a server has read this key (RFC 6455 §4.2.2). */
export function webSocketAccept(key: string): string {
  return createHash("sha1").update(`${key}${GUID}`).digest("base64");
}
