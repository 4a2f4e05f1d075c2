import { freePort } from "../../../src/lib/testing/listen.ts";
import { LOCAL_RESPONSE } from "../../front/cases.ts";
import { isInstalled, startCaddy } from "../../support/programs.ts";
import { opened, ORIGIN_NAME, POOL, type Proxy, type Site } from "../proxy.ts";

const H2C = "  servers {\n    protocols h1 h2c\n  }\n";

function originUrl({ shape, originPort }: Site): string {
  const scheme = { http1: "http", tls: "https", h2c: "h2c" }[shape.upstream];
  return `${scheme}://127.0.0.1:${originPort}`;
}

function upstreamTls({ shape, ca }: Site): string {
  if (shape.upstream !== "tls") return "";
  return `tls_trusted_ca_certs ${ca}
      tls_server_name ${ORIGIN_NAME}`;
}

export const CADDY: Proxy = {
  name: "caddy",
  installed: () => isInstalled("caddy"),
  // Debian's package has no cache.
  can: ({ caches }) => caches !== true,
  async start(children, site) {
    const { client } = site.shape;
    const port = await freePort();
    const block = `
${client === "h2" ? "https" : "http"}://127.0.0.1:${port} {
  bind 127.0.0.1
  ${client === "h2" ? `tls ${site.cert} ${site.key}` : ""}
  respond ${LOCAL_RESPONSE} 200
  header X-Request-Id {http.request.uuid}
  reverse_proxy ${originUrl(site)} {
    header_up X-Real-IP {http.request.remote.host}
    header_up Via "1.1 caddy"
    header_up X-Request-Id {http.request.uuid}
    transport http {
      keepalive_idle_conns ${POOL}
      keepalive_idle_conns_per_host ${POOL}
      compression off
      ${upstreamTls(site)}
    }
  }
}
`;
    return await opened("caddy", port, startCaddy(children, block, client === "h2c" ? H2C : ""));
  },
};
