import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../src/lib/testing/listen.ts";
import { type Children } from "../../support/children.ts";
import { LOCAL_RESPONSE } from "../../front/cases.ts";
import { isInstalled, startHaproxy } from "../../support/programs.ts";
import { opened, ORIGIN_NAME, POOL, type Proxy, type Shape, type Site } from "../proxy.ts";

function bind(children: Children, { shape, cert, key }: Site): string {
  if (shape.client !== "h2") return shape.client === "h2c" ? "proto h2" : "";
  // HAProxy reads the key from the certificate's file.
  const pair = join(children.folder, "pair.pem");
  writeFileSync(pair, readFileSync(cert, "latin1") + readFileSync(key, "latin1"));
  return `ssl crt ${pair} alpn h2,http/1.1`;
}

function server({ shape, ca }: Site): string {
  if (shape.upstream === "h2c") return "proto h2";
  if (shape.upstream === "http1") return "";
  return `ssl verify required ca-file ${ca} sni str(${ORIGIN_NAME}) verifyhost ${ORIGIN_NAME}`;
}

function cache({ caches }: Shape): { section: string; rules: string } {
  if (caches !== true) return { section: "", rules: "" };
  return {
    section: `cache answers
  total-max-size 256
  max-object-size 1048576
  max-age 3600
`,
    rules: `  http-request cache-use answers
  http-response cache-store answers
`,
  };
}

export const HAPROXY: Proxy = {
  name: "haproxy",
  installed: () => isInstalled("haproxy"),
  can: () => true,
  async start(children, site) {
    const port = await freePort();
    const { section, rules } = cache(site.shape);
    const config = `
global
  nbthread 1
  maxconn 4096
  ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  http-reuse always
${section}frontend front
  bind 127.0.0.1:${port} backlog 4096 ${bind(children, site)}
  http-request return status 200 if { path ${LOCAL_RESPONSE} }
  unique-id-format %[uuid()]
  option forwardfor
  http-request set-header X-Forwarded-Proto ${site.shape.client === "h2" ? "https" : "http"}
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  http-request set-header X-Real-IP %[src]
  http-request set-header Via "1.1 haproxy"
  http-request set-header X-Request-Id %[unique-id] unless { req.hdr(X-Request-Id) -m found }
  http-response set-header X-Request-Id %[unique-id]
  default_backend origin
backend origin
${rules}  server origin 127.0.0.1:${site.originPort} pool-max-conn ${POOL} pool-purge-delay 60s ${server(site)}
`;
    return await opened("haproxy", port, startHaproxy(children, config));
  },
};
