import { type JsonObject } from "../api/shapes.ts";
import { type Section } from "./editor-state.ts";

function text(item: JsonObject, key: string): string {
  const value = item[key];
  return typeof value === "string" ? value : "";
}

/** The path of a route in the admin interface: its prefix, and its host and name, which can be missing. */
export function routeAddress(prefix: string, host: string | undefined, name: string | undefined): string {
  const query = `host=${encodeURIComponent(host ?? "")}&name=${encodeURIComponent(name ?? "")}`;
  return `/v1/routes/${encodeURIComponent(prefix)}?${query}`;
}

export const ROUTES: Section = {
  name: "routes",
  noun: "route",
  home: "routes",
  first: [
    "path_prefix",
    "host",
    "name",
    "match",
    "upstream",
    "redirect",
    "fixed_response",
    "rewrite",
    "auth",
    "x402",
    "rate_limit",
    "cache",
  ],
  begin: {},
  addressOf: (item) => routeAddress(text(item, "path_prefix"), text(item, "host"), text(item, "name")),
  titleOf: (item) => {
    const name = text(item, "name");
    return `${text(item, "host")}${text(item, "path_prefix")}${name === "" ? "" : `#${name}`}`;
  },
};

export const UPSTREAMS: Section = {
  name: "upstreams",
  noun: "upstream",
  home: "upstreams",
  first: ["name", "servers", "load_balancer", "protocol", "health_check"],
  begin: { servers: [{}] },
  addressOf: (item) => `/v1/upstreams/${encodeURIComponent(text(item, "name"))}`,
  titleOf: (item) => text(item, "name"),
};

export const SETTINGS: Section = {
  name: "settings",
  noun: "settings",
  home: "config",
  first: ["server", "tls", "x402", "access_log", "limits", "timeouts"],
  begin: {},
  addressOf: () => "settings",
  titleOf: () => "all but routes and upstreams",
};
