import { type Fields, fieldValues, trimOws } from "../../../lib/http/fields.ts";

/** The trace of a request, from the client's fields (W3C Trace Context, level 1). */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The client's span that sends the request: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** The request fields of W3C Trace Context, in lower case. */
export const TRACE_FIELDS = ["traceparent", "tracestate"] as const;

/** Maximum characters of a tracestate that is passed on: the minimum that a service must pass on (§3.3.1.5). */
const MAX_STATE = 512;
/** If the tracestate is too long, members with more characters are removed first (§3.3.1.5). */
const LONG_MEMBER = 128;
/** Maximum members of a tracestate (§3.3.1.1). */
const MAX_MEMBERS = 32;
/** Maximum characters of a tracestate that is parsed: the maximum number of members, each of the maximum length. */
const MAX_STATE_READ = MAX_MEMBERS * (256 + 1 + 256 + 1);

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MEMBER = /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Undefined if the field is absent, repeated or invalid. A new trace begins then (§3.2). */
export function parentOf(fields: Fields): TraceParent | undefined {
  const values = fieldValues(fields, "traceparent");
  const [value = ""] = values;
  const found = values.length === 1 && value.length <= MAX_STATE ? PARENT.exec(value) : null;
  if (found === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = found;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The tracestate to pass on. Empty if it is absent or invalid. */
export function stateOf(fields: Fields): string {
  const text = fieldValues(fields, "tracestate").join(",");
  if (text === "" || text.length > MAX_STATE_READ) return "";
  const members = text.split(",").map(trimOws).filter(Boolean);
  const keys = new Set<string>();
  for (const member of members) {
    const at = member.indexOf("=");
    const key = member.slice(0, Math.max(at, 0));
    if (!MEMBER.test(key) || !VALUE.test(member.slice(at + 1)) || keys.has(key)) return "";
    keys.add(key);
  }
  return members.length > MAX_MEMBERS ? "" : shortened(members);
}

function shortened(members: readonly string[]): string {
  const text = members.join(",");
  if (text.length <= MAX_STATE) return text;
  const kept = members.filter((member) => member.length <= LONG_MEMBER);
  while (kept.join(",").length > MAX_STATE) kept.pop();
  return kept.join(",");
}

/** The field lines that pass the trace context to a server. */
export function contextFields({ traceId, spanId, sampled }: TraceParent, state: string): Fields {
  const line = `traceparent: 00-${traceId}-${spanId}-${sampled ? "01" : "00"}\r\n`;
  return state === "" ? line : `${line}tracestate: ${state}\r\n`;
}
