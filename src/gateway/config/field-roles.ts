/** What the gateway does with a field: FIELD_ROLES describes each role. */
export type FieldRole =
  | "connection"
  | "framing"
  | "proxy"
  | "trusted"
  | "forwarded"
  | "methodOverride"
  | "payment"
  | "settlement";

/**
 * The field names that mean something to the gateway, by their role. The codecs, the checks of the configuration and the
 * filters read this table. A name that is absent is passed on. Names are in lower case.
 */
export const FIELD_ROLES: Readonly<Record<FieldRole, readonly string[]>> = {
  /** Connection-specific (RFC 9113 §8.2.2): for one HTTP/1 connection alone, and malformed in HTTP/2 and HTTP/3. */
  connection: ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"],
  /** They frame a message or end at the next hop (RFC 9110 §7.6.1). A second one of them is request smuggling. */
  framing: ["content-length", "expect", "te", "trailer"],
  /** Between a client and its proxy (RFC 9110 §11.7): not passed on. */
  proxy: ["proxy-authenticate", "proxy-authorization"],
  /** The gateway sets them for its upstreams, which may trust them. Clients may not send them. */
  trusted: [
    "via",
    "x-client-cert-subject",
    "x-client-cert-verified",
    "x-consumer-name",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "x-request-id",
  ],
  /**
   * Other proxies tell servers with them a request's client, host, path and scheme, or servers take them for the
   * request's own path. The gateway speaks for all of them, so clients may not. `Proxy` becomes HTTP_PROXY in CGI
   * programs. `Settlement-Overrides` sets a price in a response: an upstream that echoes request fields would let clients
   * set it.
   */
  forwarded: [
    "cf-connecting-ip",
    "client-ip",
    "fastly-client-ip",
    "forwarded",
    "forwarded-for",
    "front-end-https",
    "proxy",
    "proxy-client-ip",
    "settlement-overrides",
    "true-client-ip",
    "wl-proxy-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forwarded",
    "x-host",
    "x-http-host-override",
    "x-originating-ip",
    "x-override-url",
    "x-proxyuser-ip",
    "x-real-port",
    "x-remote-addr",
    "x-remote-ip",
    "x-rewrite-uri",
    "x-rewrite-url",
    "x-scheme",
    "x-url-scheme",
  ],
  /** Some servers take another method from them than the request's. */
  methodOverride: ["x-http-method", "x-http-method-override", "x-method-override", "x-override-method"],
  /** The payment of a request (x402 versions 2 and 1). Anyone who reads it can spend it, so no upstream gets it. */
  payment: ["payment-signature", "x-payment"],
  /** With them an upstream could speak for the gateway in a response, or set its own price (x402 `upto`). */
  settlement: ["payment-required", "payment-response", "settlement-overrides", "x-payment-response"],
};

/** All fields that begin with one of them are of the role `forwarded`. */
export const FORWARDED_PREFIXES: readonly string[] = ["x-forwarded-", "x-original-"];

/** The fields of one message on one connection: no configuration, filter or route sets them. */
export const HOP_FIELDS: readonly string[] = [...FIELD_ROLES.connection, ...FIELD_ROLES.framing];
