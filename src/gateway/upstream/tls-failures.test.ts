import { expect, test } from "bun:test";
import { type TlsError } from "../wire/tls-connect.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { tlsFailureLog } from "./tls-failures.ts";

const PORT: Endpoint = { address: "10.0.0.1", port: 8443 };

test.each<[Endpoint, string, string]>([
  [PORT, "ERR_TLS_CERT_ALTNAME_INVALID", '10.0.0.1:8443 of upstream "a" over TLS: its certificate is for other names'],
  [PORT, "EOF", "over TLS: it closed the connection during the handshake"],
  [PORT, "ECONNRESET", "over TLS: it closed the connection during the handshake"],
  [PORT, "EPROTO", "over TLS: its bytes are not TLS 1.2 or 1.3"],
  [
    { unix: "/run/a.sock" },
    "CERT_HAS_EXPIRED",
    '/run/a.sock of upstream "a" over TLS: its certificate is not trusted (CERT_HAS_EXPIRED)',
  ],
])("a handshake with %j that fails by %s is logged", (endpoint, code, text) => {
  const logged: string[] = [];
  // Only the code is read.
  tlsFailureLog({ upstream: "a", endpoint }, (line) => logged.push(line))({ code } as TlsError);
  expect(logged).toEqual([expect.stringContaining(text)]);
});

test("a handshake that the gateway itself gives up is not logged", () => {
  const logged: string[] = [];
  tlsFailureLog({ upstream: "a", endpoint: PORT }, (line) => logged.push(line))({ code: "ABORTED" } as TlsError);
  expect(logged).toEqual([]);
});
