/** One rule of RFC 9113 or 7541 as a row: the frames to send after the prefaces, and the expected result. */
import { type Http2Client } from "../../support/http2-client.ts";

type Text = readonly [section: string, rule: string];
type Frames = readonly Buffer[];

export type Case = { readonly section: string; readonly rule: string } & (
  | { readonly kind: "connection"; readonly codes: readonly number[]; readonly frames: Frames }
  | { readonly kind: "stream"; readonly streamId: number; readonly codes: readonly number[]; readonly frames: Frames }
  | { readonly kind: "served"; readonly streamId: number; readonly status: number; readonly frames: Frames }
  | { readonly kind: "ignored"; readonly frames: Frames }
  | { readonly kind: "script"; readonly run: (client: Http2Client, port: number) => Promise<void> }
  | { readonly kind: "raw"; readonly run: (port: number) => Promise<void> }
);

/** GOAWAY with one of the codes, then the connection closes. */
export function connectionError([section, rule]: Text, codes: number | readonly number[], ...frames: Frames): Case {
  return { section, rule, kind: "connection", codes: [codes].flat(), frames };
}

/** RST_STREAM with the code on stream 1; the connection continues. */
export function streamError([section, rule]: Text, codes: number | readonly number[], ...frames: Frames): Case {
  return { section, rule, kind: "stream", streamId: 1, codes: [codes].flat(), frames };
}

/** Stream 1 gets a response with status 200. */
export function served([section, rule]: Text, ...frames: Frames): Case {
  return { section, rule, kind: "served", streamId: 1, status: 200, frames };
}

/** Stream 1 gets a response with this status. */
export function responded([section, rule]: Text, status: number, ...frames: Frames): Case {
  return { section, rule, kind: "served", streamId: 1, status, frames };
}

/** Nothing happens: no stream is reset, the connection stays open, and the next request is served. */
export function ignored([section, rule]: Text, ...frames: Frames): Case {
  return { section, rule, kind: "ignored", frames };
}

/** A case with several steps. The connection's prefaces have been exchanged. */
export function script([section, rule]: Text, run: (client: Http2Client, port: number) => Promise<void>): Case {
  return { section, rule, kind: "script", run };
}

/** The same as `script`, before any byte was sent. */
export function raw([section, rule]: Text, run: (port: number) => Promise<void>): Case {
  return { section, rule, kind: "raw", run };
}

/** The origin never responds to this path. */
export const HOLD = "/hold";

/** The path of a response with a body of `count` bytes. */
export function bytesOf(count: number): string {
  return `/bytes/${count}`;
}
