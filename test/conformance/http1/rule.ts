/** One rule of RFC 9110 or 9112 as a row: the bytes to send, and the expected result on both sides of the gateway. */
import { type Message } from "../../support/message.ts";
import { type Responder, type RawOrigin } from "../../support/raw-origin.ts";

/** The environment of a script: a gateway before an origin that keeps every byte it receives. */
export interface Bench {
  readonly port: number;
  readonly origin: RawOrigin;
}

export interface Served {
  /** The method of the response's request; the default is GET. */
  readonly method?: string;
  /** The origin's response; the default is an echo. */
  readonly reply?: Responder;
  /** Whether the connection accepts another request afterwards; the default is true. */
  readonly stays?: boolean;
  /** Checks the request that the origin received; undefined if it received none. */
  readonly upstream?: (request: Message | undefined) => void;
  /** Checks the response that the client received. */
  readonly response?: (response: Message) => void;
}

export type Rule = { readonly section: string; readonly rule: string } & (
  | { readonly kind: "refused"; readonly bytes: string; readonly statuses: readonly number[]; readonly begun: boolean }
  | { readonly kind: "served"; readonly bytes: string; readonly status: number; readonly checks: Served }
  | { readonly kind: "script"; readonly run: (bench: Bench) => Promise<void> }
);

type Text = readonly [section: string, rule: string];

/** The gateway itself responds with one of `statuses`, by default 400, and closes the connection. */
export function refused([section, rule]: Text, bytes: string, ...statuses: readonly number[]): Rule {
  return { section, rule, kind: "refused", bytes, statuses: statuses.length === 0 ? [400] : statuses, begun: false };
}

/** Like `refused`, with an error in the body: the origin may have received the head, but never the complete request. */
export function brokenBody([section, rule]: Text, bytes: string, ...statuses: readonly number[]): Rule {
  return { section, rule, kind: "refused", bytes, statuses: statuses.length === 0 ? [400] : statuses, begun: true };
}

export function served([section, rule]: Text, bytes: string, checks: Served & { readonly status?: number } = {}): Rule {
  return { section, rule, kind: "served", bytes, status: checks.status ?? 200, checks };
}

export function script([section, rule]: Text, run: (bench: Bench) => Promise<void>): Rule {
  return { section, rule, kind: "script", run };
}

/** An HTTP/1.1 request with a Host; `lines` are whole field lines. */
export function request(startLine: string, ...lines: readonly string[]): string {
  return `${[`${startLine} HTTP/1.1`, "Host: a.test", ...lines].join("\r\n")}\r\n\r\n`;
}

export function chunked(body: string, ...lines: readonly string[]): string {
  return request("POST /x", "Transfer-Encoding: chunked", ...lines) + body;
}

/** An origin that responds to every request with these bytes. */
export function responses(bytes: string): Responder {
  return (_request, connection) => connection.send(bytes);
}
