/**
 * The methods that are served: those of IANA's HTTP Method Registry, and those that caches, UPnP, Icecast and Exchange
 * use without registration. CONNECT and TRACE are refused, and PRI is only the preface of HTTP/2.
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
 * The reason why requests with this method are refused; empty if the method is served. TRACE would show a client the
 * fields that the gateway adds for the upstream. Methods are case-sensitive (RFC 9110 §9.1). If an upstream takes
 * `head` for HEAD, it sends no body, and the gateway waits for one. An unknown method gives 501 (§15.6.2), whether or
 * not the upstream knows it.
 */
export function unservedMethod(method: string): string {
  if (SERVED.has(method)) return "";
  if (method === "CONNECT" || method === "TRACE") return `${method} is not served`;
  return SERVED.has(method.toUpperCase()) ? "methods are written in capitals" : "this method is unknown";
}
