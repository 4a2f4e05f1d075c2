/** One rule of RFC 9110 or 9112 as a row: what is sent, and what must come of it on both sides of the gateway. */
import { type Message } from "../../support/message.ts";
import { type Responder, type RawOrigin } from "../../support/raw-origin.ts";

/** What a script has at hand: a gateway before an origin that keeps every byte it gets. */
export interface Bench {
  readonly port: number;
  readonly origin: RawOrigin;
}

export interface Served {
  /** The method that the response answers; GET where it is not said. */
  readonly method?: string;
  /** What the origin answers; it echoes where this is not said. */
  readonly reply?: Responder;
  /** Whether the connection takes another request afterwards; true where it is not said. */
  readonly stays?: boolean;
  /** Asked of the request as the origin gets it; undefined where it gets none. */
  readonly upstream?: (request: Message | undefined) => void;
  /** Asked of the response as the client gets it. */
  readonly response?: (response: Message) => void;
}

export type Rule = { readonly section: string; readonly rule: string } & (
  | { readonly kind: "refused"; readonly bytes: string; readonly statuses: readonly number[]; readonly begun: boolean }
  | { readonly kind: "served"; readonly bytes: string; readonly status: number; readonly checks: Served }
  | { readonly kind: "script"; readonly run: (bench: Bench) => Promise<void> }
);

type Text = readonly [section: string, rule: string];

/** Answered by the gateway itself with one of `statuses`, 400 unless it says otherwise, and the connection closed. */
export function refused([section, rule]: Text, bytes: string, ...statuses: readonly number[]): Rule {
  return { section, rule, kind: "refused", bytes, statuses: statuses.length === 0 ? [400] : statuses, begun: false };
}

/** As `refused`, with a fault in the body: the head may have gone to the origin by then, the whole request never. */
export function brokenBody([section, rule]: Text, bytes: string, ...statuses: readonly number[]): Rule {
  return { section, rule, kind: "refused", bytes, statuses: statuses.length === 0 ? [400] : statuses, begun: true };
}

export function served([section, rule]: Text, bytes: string, checks: Served & { readonly status?: number } = {}): Rule {
  return { section, rule, kind: "served", bytes, status: checks.status ?? 200, checks };
}

export function script([section, rule]: Text, run: (bench: Bench) => Promise<void>): Rule {
  return { section, rule, kind: "script", run };
}

/** A request of HTTP/1.1 with a Host; `lines` are whole field lines. */
export function request(startLine: string, ...lines: readonly string[]): string {
  return `${[`${startLine} HTTP/1.1`, "Host: a.test", ...lines].join("\r\n")}\r\n\r\n`;
}

export function chunked(body: string, ...lines: readonly string[]): string {
  return request("POST /x", "Transfer-Encoding: chunked", ...lines) + body;
}

/** An origin that answers every request with these bytes. */
export function responses(bytes: string): Responder {
  return (_request, connection) => connection.send(bytes);
}
