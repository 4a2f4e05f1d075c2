/** The expected configuration of a gateway after the changes of a test. */
export interface RouteModel {
  readonly path_prefix: string;
  readonly host?: string;
  readonly upstream: string;
  readonly upstream_headers: readonly { readonly name: string; readonly value: string }[];
  readonly [key: string]: unknown;
}

export interface UpstreamModel {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface DocumentModel {
  readonly upstreams: readonly UpstreamModel[];
  readonly routes: readonly RouteModel[];
  readonly [key: string]: unknown;
}

export function isRoute(prefix: string, host: string | undefined): (route: RouteModel) => boolean {
  return (route) => route.path_prefix === prefix && route.host === host;
}

export function isUsed({ routes }: DocumentModel, upstream: string): boolean {
  return routes.some((route) => route.upstream === upstream || route["mirror"] === upstream);
}

/** The version that responds to a request. Routes below `/` are distinguished by their prefixes only. */
export function versionOf({ routes }: DocumentModel, path: string, host: string): string {
  const route =
    routes.find(isRoute(path, host)) ?? routes.find(isRoute(path, undefined)) ?? routes.find(isRoute("/", undefined));
  return route?.upstream_headers[0]?.value ?? "none";
}
