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
