import { createHash, randomBytes } from "node:crypto";
import { type Fields, fieldValue } from "./fields.ts";

/** RFC 6455 §1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** RFC 6455 §4.1. Version 8, of the last draft, has the same format. */
const VERSIONS: readonly string[] = ["13", "8"];
/** 16 bytes of base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** State of the field `Sec-WebSocket-Version`: known, absent, or an unsupported version. */
export function versionOf(fields: Fields): "known" | "absent" | "unknown" {
  const version = fieldValue(fields, "sec-websocket-version");
  if (version === undefined) return "absent";
  return VERSIONS.includes(version) ? "known" : "unknown";
}

/** True for a valid `Sec-WebSocket-Key` (RFC 6455 §4.1): 16 bytes in base64. */
export function isWebSocketKey(key: string): boolean {
  return KEY.test(key);
}

/** A `Sec-WebSocket-Key` for a handshake that this process begins as a client. */
export function newWebSocketKey(): string {
  return randomBytes(16).toString("base64");
}

/** The `Sec-WebSocket-Accept` that proves that a server has read this key (RFC 6455 §4.2.2). */
export function webSocketAccept(key: string): string {
  return createHash("sha1").update(`${key}${GUID}`).digest("base64");
}
