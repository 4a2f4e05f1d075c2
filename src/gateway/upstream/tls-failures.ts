import { type Endpoint } from "../wire/tcp.ts";
import { type TlsError } from "../wire/tls-connect.ts";

/** Logs why TLS handshakes with one server of an upstream fail. */
export function tlsFailureLog(
  { upstream, endpoint }: { readonly upstream: string; readonly endpoint: Endpoint },
  log: (message: string) => void,
): (error: TlsError) => void {
  return ({ code }) => {
    if (code === "ABORTED") return;
    const place = "unix" in endpoint ? endpoint.unix : `${endpoint.address}:${endpoint.port}`;
    log(`Cannot connect to ${place} of upstream ${JSON.stringify(upstream)} over TLS: ${reasonOf(code)}`);
  };
}

function reasonOf(code: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "its certificate is for other names; compare tls_sni and tls_subject_alt_names with its subjectAltName";
  }
  if (code === "EOF" || code === "ECONNRESET") return "it closed the connection during the handshake";
  if (code === "EPROTO") return "its bytes are not TLS 1.2 or 1.3";
  return `its certificate is not trusted (${code}); compare tls_ca_path with its issuer`;
}
