/** Explanations of failed connections, by error code. */
const KNOWN: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  EHOSTUNREACH: "the address is not reachable",
  ENETUNREACH: "the address is not reachable",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; is it http?",
};

/** The explanation of a failed connection to `url`; undefined if only the error's message explains it. */
export function networkError(code = "", { hostname, protocol }: URL): string | undefined {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `no address is known for "${hostname}"`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `its certificate is not for "${hostname}"`;
  if (code.startsWith("HPE_")) return "it does not speak HTTP";
  const known = Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined;
  return code === "ECONNRESET" && protocol === "http:" ? `${known}; is it https?` : known;
}
