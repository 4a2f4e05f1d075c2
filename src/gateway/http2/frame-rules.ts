import * as f from "./frame.ts";
import { type ConnectionError } from "./settings.ts";

interface Rule {
  readonly name: string;
  /** Bytes of the payload; left out if they vary. */
  readonly length?: number;
  readonly minLength?: number;
  /** The frame must be on the connection (stream 0) or on a stream. Left out if both are allowed. */
  readonly on?: "connection" | "stream";
}

/** The rules that frames of each type must follow in any state of the connection (RFC 9113 §6). */
const RULES: ReadonlyMap<number, Rule> = new Map([
  [f.DATA, { name: "DATA", on: "stream" }],
  [f.HEADERS, { name: "HEADERS", on: "stream" }],
  // A PRIORITY of a wrong length is a stream error (§6.3).
  [f.PRIORITY, { name: "PRIORITY", on: "stream" }],
  [f.RST_STREAM, { name: "RST_STREAM", length: 4, on: "stream" }],
  [f.SETTINGS, { name: "SETTINGS", on: "connection" }],
  [f.PING, { name: "PING", length: 8, on: "connection" }],
  [f.GOAWAY, { name: "GOAWAY", minLength: 8, on: "connection" }],
  [f.WINDOW_UPDATE, { name: "WINDOW_UPDATE", length: 4 }],
]);

/** The connection error that a frame's type, stream and length cause, without its payload; undefined if they are valid. */
export function frameError(type: number, streamId: number, length: number): ConnectionError | undefined {
  const rule = RULES.get(type);
  if (rule === undefined) return undefined;
  if (rule.on === "stream" && streamId === 0) return { code: f.PROTOCOL_ERROR, reason: `${rule.name} on stream 0` };
  if (rule.on === "connection" && streamId !== 0) return { code: f.PROTOCOL_ERROR, reason: `${rule.name} on a stream` };
  if (length === (rule.length ?? length) && length >= (rule.minLength ?? 0)) return undefined;
  return { code: f.FRAME_SIZE_ERROR, reason: `${rule.name} of an invalid length` };
}
