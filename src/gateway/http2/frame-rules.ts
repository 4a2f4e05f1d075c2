import * as f from "./frame.ts";
import { type ConnectionFault } from "./settings.ts";

interface Rule {
  readonly name: string;
  /** Bytes of payload; left out where they vary. */
  readonly length?: number;
  readonly minLength?: number;
  /** Whether it belongs to the connection or to a stream; left out where it may be either. */
  readonly on?: "connection" | "stream";
}

/** What a frame of each type must look like before anything else is known (RFC 9113 §6). */
const RULES: ReadonlyMap<number, Rule> = new Map([
  [f.DATA, { name: "DATA", on: "stream" }],
  [f.HEADERS, { name: "HEADERS", on: "stream" }],
  // A wrong length is a stream error here (§6.3).
  [f.PRIORITY, { name: "PRIORITY", on: "stream" }],
  [f.RST_STREAM, { name: "RST_STREAM", length: 4, on: "stream" }],
  [f.SETTINGS, { name: "SETTINGS", on: "connection" }],
  [f.PING, { name: "PING", length: 8, on: "connection" }],
  [f.GOAWAY, { name: "GOAWAY", minLength: 8, on: "connection" }],
  [f.WINDOW_UPDATE, { name: "WINDOW_UPDATE", length: 4 }],
]);

/** The connection error that a frame is by its type, stream and length alone. */
export function frameFault(type: number, streamId: number, length: number): ConnectionFault | undefined {
  const rule = RULES.get(type);
  if (rule === undefined) return undefined;
  if (rule.on === "stream" && streamId === 0) return { code: f.PROTOCOL_ERROR, reason: `${rule.name} on stream 0` };
  if (rule.on === "connection" && streamId !== 0) return { code: f.PROTOCOL_ERROR, reason: `${rule.name} on a stream` };
  if (length === (rule.length ?? length) && length >= (rule.minLength ?? 0)) return undefined;
  return { code: f.FRAME_SIZE_ERROR, reason: `${rule.name} of a broken length` };
}
