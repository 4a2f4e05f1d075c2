import { type Fields } from "../../../lib/http/fields.ts";
import { unservedMethod } from "../../../lib/http/http-method.ts";
import { normalisePath } from "../../../lib/http/url-path.ts";
import { isAuthority } from "../../exchange/authority.ts";
import { FIELD_ROLES, HOP_BY_HOP_FIELDS } from "../../../lib/http/field-roles.ts";
import { type Exchange, type RequestHead } from "../../exchange/exchange.ts";
import { type FilterSettings } from "../runtime/runtime.ts";
import { FieldList } from "./guest/field-list.ts";

/** The gateway controls the framing, and only the gateway tells upstreams who the client is. */
const KEPT: ReadonlySet<string> = new Set([...HOP_BY_HOP_FIELDS, ...FIELD_ROLES.trusted]);
const TARGET = /^\/[!-"$-~]*$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The fields of a request as its filter sees them. */
export function requestFields(exchange: Exchange, settings: FilterSettings): FieldList {
  const { head } = exchange;
  const length = head.bodyLength > 0 ? `content-length: ${head.bodyLength}\r\n` : "";
  const forwardedFor =
    head.forwardedFor === "" ? exchange.peerAddress : `${head.forwardedFor}, ${exchange.peerAddress}`;
  return new FieldList({
    fields: head.fields,
    visible: settings.visibleFields(head),
    told: `${length}x-forwarded-proto: ${head.scheme}\r\nx-forwarded-for: ${forwardedFor}\r\nx-request-id: ${exchange.id}\r\n`,
    pseudo: [
      [":authority", head.authority],
      [":path", head.path + settings.visibleQuery(head)],
      [":method", head.method],
      [":scheme", head.scheme],
    ],
    kept: KEPT,
  });
}

/** Applies the filter's changes to a request. Returns the reason if it cannot be sent; otherwise undefined. */
export function applyRequestFields(head: RequestHead, list: FieldList, shownQuery: string): string | undefined {
  if (list.error !== undefined || !list.isChanged) return list.error;
  head.fields = list.fields;
  return (
    setMethod(head, list.pseudo(":method") ?? head.method) ??
    setPath(head, list.pseudo(":path") ?? "", shownQuery) ??
    setAuthority(head, list.pseudo(":authority") ?? head.authority)
  );
}

/** The method decides the framing of the client's response: a response to HEAD has no body. */
function setMethod(head: RequestHead, method: string): string | undefined {
  if (method === head.method) return undefined;
  const isServed = TOKEN.test(method) && unservedMethod(method) === "" && method !== "CONNECT";
  if (!isServed || (method === "HEAD") !== (head.method === "HEAD") || head.upgrade !== "") {
    return `changes the method from ${head.method} to ${JSON.stringify(method.slice(0, 32))}`;
  }
  head.method = method;
  return undefined;
}

/** The route stays the same: the gateway chose it, and ran its policies, before the filter. */
function setPath(head: RequestHead, target: string, shownQuery: string): string | undefined {
  if (target === head.path + shownQuery) return undefined;
  const query = target.indexOf("?");
  const path = TARGET.test(target) ? normalisePath(query === -1 ? target : target.slice(0, query)) : undefined;
  if (path === undefined) return "sets a path that cannot be sent";
  head.path = path;
  head.query = query === -1 ? "" : target.slice(query);
  return undefined;
}

function setAuthority(head: RequestHead, authority: string): string | undefined {
  if (authority === head.authority) return undefined;
  if (!isAuthority(authority)) return "sets an invalid authority";
  head.authority = authority;
  return undefined;
}

/** Trailers as a filter sees them. */
export function trailerFields(fields: Fields): FieldList {
  return new FieldList({ fields, kept: KEPT });
}
