/** The proxies of a run, with settings as similar as their configuration languages allow. */
import { CADDY } from "./proxies/caddy.ts";
import { HAPROXY } from "./proxies/haproxy.ts";
import { NGINX } from "./proxies/nginx.ts";
import { RELAY } from "./proxies/relay.ts";
import { TURNPIKE } from "./proxies/turnpike.ts";
import { type Proxy } from "./proxy.ts";

export const SUBJECT = TURNPIKE;
export const PEERS: readonly Proxy[] = [RELAY, NGINX, HAPROXY, CADDY];
