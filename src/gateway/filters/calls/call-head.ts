import { OWN_HEAD } from "../../proxy/subrequest.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { unservedMethod } from "../../../lib/http/http-method.ts";
import { isAuthority } from "../../exchange/authority.ts";
import { FIELD_ROLES, HOP_BY_HOP_FIELDS } from "../../../lib/http/field-roles.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { BAD_VALUE, LOWER_TOKEN } from "../../exchange/request-fields.ts";
import { soundTrailers } from "../../exchange/request-trailers.ts";
import { type CallRefusal, type Pairs } from "./call.ts";
import { MAX_CALL_FIELD_BYTES, MAX_CALL_FIELDS } from "./call-limits.ts";

/** Visible ASCII without a fragment, the same form as for a target in the HTTP/1 codec. */
const TARGET = /^\/[!-"$-~]*$/;

/** Fields of a message's framing, and those that the gateway itself sends to every upstream. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_FIELDS,
  ...FIELD_ROLES.proxy,
  "host",
  "http2-settings",
  "via",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-request-id",
]);

/** Fields, by name, that are valid in a call. */
export interface SoundFields {
  /** Pseudo-header fields, and `host`. */
  readonly pseudo: ReadonlyMap<string, string>;
  readonly fields: Fields;
}

/** Checks the fields of a filter, and leaves out those that frame a message. */
export function soundFields(pairs: Pairs): SoundFields | CallRefusal {
  if (pairs.length > MAX_CALL_FIELDS) return "too-large";
  const pseudo = new Map<string, string>();
  const named = connectionNames(pairs);
  let fields = "";
  let bytes = 0;
  for (const [given, value] of pairs) {
    const name = given.toLowerCase();
    bytes += name.length + value.length;
    if (bytes > MAX_CALL_FIELD_BYTES) return "too-large";
    if (BAD_VALUE.test(value)) return "bad-request";
    if (name.startsWith(":") || name === "host") {
      if (pseudo.has(name)) return "bad-request";
      pseudo.set(name, value);
    } else if (!LOWER_TOKEN.test(name)) return "bad-request";
    // CGI and similar interfaces do not distinguish hyphens and underscores in names.
    else if (!LEFT_OUT.has(name.replaceAll("_", "-")) && !named.has(name)) fields += `${name}: ${value}\r\n`;
  }
  return { pseudo, fields };
}

/** RFC 9110 §7.6.1: fields that Connection names end at the next hop. */
function connectionNames(pairs: Pairs): ReadonlySet<string> {
  const values = pairs.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value);
  return new Set(values.flatMap((value) => value.split(",").map((name) => name.trim().toLowerCase())));
}

/** The trailers of a call's request. */
export function callTrailers(pairs: Pairs): { readonly trailers: Fields } | CallRefusal {
  const sound = soundFields(pairs);
  if (typeof sound === "string") return sound;
  return sound.pseudo.size > 0 ? "bad-request" : { trailers: soundTrailers(sound.fields) };
}

/** The authority of a call, or `otherwise`; undefined if invalid. Empty: the server receives its own name. */
export function callAuthority(pseudo: SoundFields["pseudo"], otherwise?: string): string | undefined {
  const authority = pseudo.get(":authority") ?? pseudo.get("host") ?? otherwise;
  return authority === "" || (authority !== undefined && isAuthority(authority)) ? authority : undefined;
}

/** The head of a call's request. `bodyLength` is as in RequestHead. */
export function callHead(pairs: Pairs, bodyLength: number): RequestHead | CallRefusal {
  const sound = soundFields(pairs);
  if (typeof sound === "string") return sound;
  const { pseudo, fields } = sound;
  if ([...pseudo.keys()].some((name) => !PSEUDO.has(name))) return "bad-request";
  const method = pseudo.get(":method") ?? "";
  const target = pseudo.get(":path") ?? "";
  const authority = callAuthority(pseudo);
  if (unservedMethod(method) !== "" || !TARGET.test(target) || authority === undefined) return "bad-request";
  const query = target.indexOf("?");
  return {
    ...OWN_HEAD,
    method,
    authority,
    path: query === -1 ? target : target.slice(0, query),
    query: query === -1 ? "" : target.slice(query),
    fields,
    bodyLength,
  };
}

/** `:scheme` has no effect, because the configuration decides about TLS to the upstream. */
const PSEUDO: ReadonlySet<string> = new Set([":method", ":path", ":authority", ":scheme", "host"]);
