/** The role of a field in the gateway. FIELD_ROLES describes each role. */
export type FieldRole =
  | "connection"
  | "framing"
  | "proxy"
  | "trusted"
  | "forwarded"
  | "methodOverride"
  | "payment"
  | "settlement";

/** The request fields that tell upstreams of a payment, unless the configuration has other names for them. */
export const PAYMENT_FIELDS = {
  payer: "Turnpike-Payer",
  amount: "Turnpike-Amount",
  asset: "Turnpike-Asset",
  network: "Turnpike-Network",
  payment_id: "Turnpike-Payment-Id",
  transaction: "Turnpike-Transaction",
  signature: "Turnpike-Signature",
} as const;

/**
 * The field names that mean something to the gateway, by their role. The codecs, the checks of the configuration and the
 * filters read this table. A name that is absent is passed on. Names are in lower case.
 */
export const FIELD_ROLES: Readonly<Record<FieldRole, readonly string[]>> = {
  /** Fields of one HTTP/1 connection (RFC 9113 §8.2.2). They are malformed in HTTP/2 and HTTP/3. */
  connection: ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"],
  /** They frame a message or end at the next hop (RFC 9110 §7.6.1). One of them twice is request smuggling. */
  framing: ["content-length", "expect", "te", "trailer"],
  /** Fields between a client and its proxy (RFC 9110 §11.7). They are not passed on. */
  proxy: ["proxy-authenticate", "proxy-authorization"],
  /** The gateway sets them for upstreams, which may trust them, and removes them from clients' requests. */
  trusted: [
    "turnpike-balance",
    "turnpike-check",
    "turnpike-token",
    ...Object.values(PAYMENT_FIELDS).map((name) => name.toLowerCase()),
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
   * Other proxies use them to send a request's client, host, path and scheme to servers, or servers use them as the
   * request's path. The gateway sets this data itself and removes the fields from requests of clients. `Proxy` becomes
   * HTTP_PROXY in CGI programs. `Settlement-Overrides` and `Settlement-Deferral` set a charge in a
   * response. If an upstream echoed request fields, clients could set the charge with them.
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
    "settlement-deferral",
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
  /** Some servers read the request's method from them. */
  methodOverride: ["x-http-method", "x-http-method-override", "x-method-override", "x-override-method"],
  /** A request's payment (x402 versions 2 and 1), and the response that it is for. Any reader can spend it, so no upstream gets it. */
  payment: ["payment-signature", "payment-stream", "x-payment"],
  /** With these response fields, an upstream could imitate the gateway or set its own price (x402 `upto`). */
  settlement: [
    "payment-receipt",
    "payment-required",
    "payment-response",
    "payment-stream",
    "settlement-deferral",
    "settlement-overrides",
    "x-payment-response",
  ],
};

/** Prefixes of field names. A field with one of them has the role `forwarded`. */
export const FORWARDED_PREFIXES: readonly string[] = ["x-forwarded-", "x-original-"];

/** Whether a name that is not in the table has the role `forwarded`. `lowerName` is in lower case. */
export function hasForwardedPrefix(lowerName: string): boolean {
  return FORWARDED_PREFIXES.some((prefix) => lowerName.startsWith(prefix) && lowerName !== prefix);
}

/** grpc/grpc, doc/PROTOCOL-HTTP2.md; `application/grpc-web` is another protocol. */
const GRPC_TYPE = /^application\/grpc(?:$|[+; \t])/i;

/** Whether a Content-Type is that of gRPC. */
export function isGrpcType(contentType = ""): boolean {
  return GRPC_TYPE.test(contentType);
}

/** Hop-by-hop fields: those of one message on one connection. Configurations, filters and routes cannot set them. */
export const HOP_BY_HOP_FIELDS: readonly string[] = [...FIELD_ROLES.connection, ...FIELD_ROLES.framing];
