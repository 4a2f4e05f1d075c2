/** Fields that frame a message or end at the next hop (RFC 9110 §7.6.1): a second one of them is request smuggling. */
export const HOP_FIELDS: readonly string[] = [
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Fields by which the gateway alone tells an upstream of a request and its client. */
export const TOLD_FIELDS: readonly string[] = [
  "via",
  "x-client-cert-subject",
  "x-client-cert-verified",
  "x-consumer-name",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-request-id",
];

/**
 * Fields, beside those above, by which proxies tell servers of a request's client, host, path and scheme, or that servers
 * take for the request's own path. The gateway speaks for all of them, so clients may not. `Proxy` becomes HTTP_PROXY
 * in CGI programs. `Settlement-Overrides` sets a price in a response: an upstream that echoes request fields would let clients set it.
 */
export const STEERING_FIELDS: readonly string[] = [
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
];

/** Every field whose name begins so is one of them. */
export const STEERING_PREFIXES: readonly string[] = ["x-forwarded-", "x-original-"];

/** Fields by which some servers take another method than the request's. */
export const METHOD_OVERRIDES: readonly string[] = [
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-override-method",
];

/** What a client says of its payment (x402 versions 2 and 1): who reads it can spend it, so no upstream may. */
export const PAYMENT_FIELDS: readonly string[] = ["payment-signature", "x-payment"];
