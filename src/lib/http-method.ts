/**
 * The methods that are served: IANA's HTTP Method Registry, and those that caches, UPnP, Icecast and Exchange have made
 * common without it. CONNECT and TRACE are for others, PRI is no method but the preface of HTTP/2.
 */
const SERVED: ReadonlySet<string> = new Set(
  [
    "GET HEAD POST PUT PATCH DELETE OPTIONS QUERY SEARCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK ACL BIND REBIND",
    "UNBIND REPORT VERSION-CONTROL CHECKIN CHECKOUT UNCHECKOUT LABEL MERGE UPDATE BASELINE-CONTROL MKACTIVITY",
    "MKWORKSPACE MKCALENDAR MKREDIRECTREF UPDATEREDIRECTREF ORDERPATCH LINK UNLINK",
    "PURGE BAN NOTIFY SUBSCRIBE UNSUBSCRIBE M-SEARCH SOURCE POLL BCOPY BDELETE BMOVE BPROPFIND BPROPPATCH",
    "RPC_IN_DATA RPC_OUT_DATA RDG_IN_DATA RDG_OUT_DATA",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Why no request of this method is served; empty where it is. TRACE would show a client the fields that were added for the
 * upstream. Methods are case-sensitive (RFC 9110 §9.1), and an upstream that takes `head` for HEAD answers without the
 * body that this side then waits for. What nobody knows is 501 (§15.6.2), whatever an upstream would make of it.
 */
export function unservedMethod(method: string): string {
  if (SERVED.has(method)) return "";
  if (method === "CONNECT" || method === "TRACE") return `${method} is not served`;
  return SERVED.has(method.toUpperCase()) ? "methods are written in capitals" : "this method is unknown";
}
