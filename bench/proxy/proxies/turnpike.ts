import { type Children } from "../../support/children.ts";
import { listeningPort, originUpstream, startTurnpike } from "../../support/programs.ts";
import { ORIGIN_NAME, POOL, type Proxy, running, type Site } from "../proxy.ts";

function listener({ shape: { client } }: Site): object {
  return { address: "127.0.0.1", port: 0, use_tls: client === "h2", h2c_only: client === "h2c" };
}

function upstream({ shape, originPort, ca, pool = POOL }: Site): object {
  const tls = { tls: true, tls_verify: true, tls_ca_path: ca, tls_sni: ORIGIN_NAME };
  return {
    ...originUpstream(originPort, pool),
    ...(shape.upstream === "tls" ? tls : {}),
    ...(shape.upstream === "h2c" ? { protocol: "h2c" } : {}),
  };
}

export const TURNPIKE: Proxy = {
  name: "turnpike",
  installed: () => true,
  can: () => true,
  async start(children: Children, site: Site) {
    const config = {
      server: { workers: 1, listeners: [listener(site)] },
      ...(site.shape.client === "h2" ? { tls: { cert_path: site.cert, key_path: site.key } } : {}),
      access_log: { enabled: false },
      upstreams: [upstream(site)],
      routes: [{ path_prefix: "/", upstream: "origin", ...(site.shape.caches === true ? { cache: {} } : {}) }],
    };
    const child = startTurnpike(children, "turnpike", config);
    return running("turnpike", await listeningPort(child), child);
  },
};
