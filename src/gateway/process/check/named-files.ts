/** The files that a configuration names and that must be usable before it is served. */
import { type Config, type RouteConfig } from "../../config/config.ts";
import { type FilterConfig } from "../../filters/loaded-filters.ts";
import { type CertificateSections } from "./certificate-expiry.ts";
import { type UpstreamFiles } from "../../upstream/upstreams.ts";

/** Files that are checked together. It has no functions: it crosses to a thread. `path` is a key of the configuration. */
export type FileCheck =
  | { readonly kind: "certificates"; readonly config: CertificateSections }
  | { readonly kind: "upstream"; readonly path: string; readonly upstream: UpstreamFiles }
  | { readonly kind: "authorities"; readonly path: string; readonly file: string }
  | { readonly kind: "static"; readonly path: string; readonly folder: string }
  | { readonly kind: "list"; readonly path: string; readonly file: string }
  | { readonly kind: "state"; readonly path: string; readonly folder: string }
  | { readonly kind: "log"; readonly path: string; readonly what: string; readonly file: string }
  /** With only the routes that have filters. */
  | { readonly kind: "filters"; readonly config: FilterConfig };

/** The checks for the files of a configuration. Sockets, and files that only a start reads, are left out. */
export function fileChecksOf(config: Config): FileCheck[] {
  const { admin, quic, server, state_path, tls, upstreams, x402 } = config;
  const acme = tls.acme?.ca_path ?? "";
  const checks: FileCheck[] = upstreams.flatMap((upstream, i) => {
    const { tls_ca_path, tls_cert_path, tls_key_path } = upstream;
    if (!upstream.tls || tls_ca_path + tls_cert_path === "") return [];
    return [{ kind: "upstream", path: `upstreams[${i}]`, upstream: { tls_ca_path, tls_cert_path, tls_key_path } }];
  });
  if ([admin.tls, quic, tls, ...server.listeners].some(namesFile))
    checks.push({ kind: "certificates", config: { admin, quic, server, tls } });
  if (acme !== "") checks.push({ kind: "authorities", path: "tls.acme.ca_path", file: acme });
  if (server.static_root !== "")
    checks.push({ kind: "static", path: "server.static_root", folder: server.static_root });
  if (state_path !== "") checks.push({ kind: "state", path: "state_path", folder: state_path });
  for (const [i, file] of x402.screening.denied_payers.entries())
    checks.push({ kind: "list", path: `x402.screening.denied_payers[${i}]`, file });
  checks.push(...logsOf(config), ...filtersOf(config));
  return checks;
}

/** The checks among `after` that name a file which no check of `before` names. Both have the same `wasm_filters`. */
export function addedChecks(before: readonly FileCheck[], after: readonly FileCheck[]): FileCheck[] {
  const known = new Set(before.flatMap(namesOf));
  return after.filter((check) => namesOf(check).some((name) => !known.has(name)));
}

/** A name for each thing that is checked. A name has no position, which changes when an item before it is removed. */
function namesOf(check: FileCheck): string[] {
  if (check.kind === "filters") return check.config.routes.map(({ path_prefix: prefix }) => `filters ${prefix}`);
  return [JSON.stringify({ ...check, path: "" })];
}

/** True if a key that ends with `_path` has a value, in the section or below it. */
function namesFile(section: unknown): boolean {
  if (typeof section !== "object" || section === null) return false;
  return Object.entries(section).some(([key, value]) => (key.endsWith("_path") && value !== "") || namesFile(value));
}

function logsOf({ access_log: log, admin, routes, server }: Config): FileCheck[] {
  const files = new Map<string, FileCheck>();
  if (admin.enabled && admin.audit_log !== "")
    files.set("", { kind: "log", path: "admin.audit_log", what: "audit log", file: admin.audit_log });
  const add = ({ enabled, path: file }: Config["access_log"], path: string): void => {
    const isFile = enabled && file !== "stdout" && file !== "stderr";
    if (isFile && !files.has(file)) files.set(file, { kind: "log", path, what: "access log", file });
  };
  if (server.disable_middleware) return [...files.values()];
  add(log, "access_log.path");
  for (const [i, route] of routes.entries()) {
    if (route.access_log !== undefined) add({ ...log, ...route.access_log }, `routes[${i}].access_log.path`);
  }
  return [...files.values()];
}

function filtersOf({ limits, routes, server, wasm_filters }: Config): FileCheck[] {
  if (wasm_filters.length === 0) return [];
  const matches = new Set(wasm_filters.map(({ match }) => match));
  // A thread gets only own members.
  const filtered = routes.flatMap((route) =>
    matches.has(route.path_prefix) ? [{ ...(Object.getPrototypeOf(route) as RouteConfig), ...route }] : [],
  );
  return [{ kind: "filters", config: { limits, routes: filtered, server, wasm_filters } }];
}
