import { freePort } from "../../../src/lib/testing/listen.ts";
import { type Children } from "../../support/children.ts";
import { LOCAL_RESPONSE } from "../../front/cases.ts";
import { isInstalled, NGINX_ID, nginxFields, startNginx } from "../../support/programs.ts";
import { opened, ORIGIN_NAME, POOL, type Proxy, type Shape, type Site } from "../proxy.ts";

function listen(shape: Shape): string {
  if (shape.client === "http1") return "backlog=4096";
  return shape.client === "h2" ? "ssl http2 backlog=4096" : "http2 backlog=4096";
}

function clientTls({ shape, cert, key }: Site): string {
  if (shape.client !== "h2") return "";
  return `ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};`;
}

/** nginx reuses TLS sessions to the origin by default. */
function upstreamTls({ shape, ca }: Site): string {
  if (shape.upstream !== "tls") return "";
  return `proxy_ssl_verify on;
      proxy_ssl_trusted_certificate ${ca};
      proxy_ssl_server_name on;
      proxy_ssl_name ${ORIGIN_NAME};`;
}

function pass(site: Site): string {
  const { shape } = site;
  if (shape.upstream === "h2c") return "grpc_pass grpc://origin;";
  const connection = shape.websocket === true ? '"upgrade"' : '""';
  return `proxy_pass ${shape.upstream === "tls" ? "https" : "http"}://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection ${connection};
      ${shape.websocket === true ? "proxy_set_header Upgrade $http_upgrade;" : ""}
      ${shape.caches === true ? "proxy_cache answers;" : ""}
      ${upstreamTls(site)}`;
}

/**
 * nginx sends a hit from a file, so the files are in memory and stay open. sendfile is off: with it nginx uses 18 %
 * more CPU for 1 KiB and 60 % more for 64 KiB (cache-hit, cache-hit-64k), and with tcp_nopush in addition it stalls.
 */
function cache(children: Children, shape: Shape): string {
  if (shape.caches !== true) return "";
  const path = `${children.memoryFolder()}/nginx`;
  return `proxy_cache_path ${path} levels=1:2 keys_zone=answers:10m max_size=256m inactive=1h use_temp_path=off;
  output_buffers 2 64k;
  open_file_cache max=1000 inactive=3600s;
  open_file_cache_valid 3600s;`;
}

export const NGINX: Proxy = {
  name: "nginx",
  installed: () => isInstalled("nginx"),
  can: () => true,
  async start(children, site) {
    const { shape } = site;
    const port = await freePort();
    const set = shape.upstream === "h2c" ? "grpc_set_header" : "proxy_set_header";
    const http = `
  upstream origin { server 127.0.0.1:${site.originPort}; keepalive ${POOL}; keepalive_requests 1000000000; }
  ${NGINX_ID}
  ${cache(children, shape)}
  server {
    listen 127.0.0.1:${port} ${listen(shape)};
    ${clientTls(site)}
    location = ${LOCAL_RESPONSE} { return 200; }
    location / {
      ${pass(site)}
      ${nginxFields(set)}
    }
  }`;
    const child = startNginx(children, "nginx", { workers: 1, connections: 8192, http });
    return await opened("nginx", port, child);
  },
};
