/** Services and issuers over TLS: if a certificate cannot be verified, the service does not decide. */
import { createServer, type Server } from "node:https";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { type ProtocolGateway, startProtocols } from "./protocols.ts";
import { bearer, EC, token } from "./testing/tokens.ts";

let folder: Folder;
let origin: RawOrigin;
let service: Server;
let port: number;

beforeAll(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
  const keys = JSON.stringify({ keys: [{ ...EC.publicKey.export({ format: "jwk" }), kid: "1" }] });
  service = createServer({ cert: LOCALHOST.cert, key: LOCALHOST.key }, (_, response) => response.end(keys));
  port = await listenOnLoopback(service);
});

afterAll(async () => {
  service.close();
  await origin.stop();
  folder.remove();
});

function start(environment: Readonly<Record<string, string>>): Promise<ProtocolGateway> {
  const url = `https://localhost:${port}/`;
  return startProtocols(
    {
      upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
      routes: [
        { path_prefix: "/asked", upstream: "origin", auth: { type: "forward_auth", url } },
        { path_prefix: "/jwks", upstream: "origin", auth: { type: "jwt", jwks_url: url, algorithm: "ES256" } },
      ],
    },
    environment,
  );
}

const TOKEN = bearer(token({ sub: "alice" }, "ES256", { kid: "1" }));

test("a service and an issuer with trusted certificates are accepted", async () => {
  const gateway = await start({ SSL_CERT_FILE: folder.write("ca.pem", TEST_CA.cert) });
  try {
    expect((await gateway.plain({ path: "/asked" })).status).toBe(200);
    expect((await gateway.plain({ path: "/jwks", headers: TOKEN })).status).toBe(200);
  } finally {
    await gateway.stop();
  }
});

test("untrusted certificates are refused, and no request passes", async () => {
  const gateway = await start({});
  origin.reset();
  try {
    expect((await gateway.plain({ path: "/asked" })).status).toBe(503);
    expect((await gateway.plain({ path: "/jwks", headers: TOKEN })).status).toBe(503);
    expect(origin.summaries).toEqual([]);
    await gateway.program.sees(/Cannot get the keys of route "\/jwks": the connection to jwks_url failed \(tls\)/);
  } finally {
    await gateway.stop();
  }
});
