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

function isUsed({ routes }: DocumentModel, upstream: string): boolean {
  return routes.some((route) => route.upstream === upstream || route["mirror"] === upstream);
}

/** Without the deleted upstreams that no route uses any more. */
export function withoutUnused(document: DocumentModel): DocumentModel {
  const upstreams = document.upstreams.filter(({ name, deleted }) => deleted !== true || isUsed(document, name));
  return { ...document, upstreams };
}

export function isDeleted({ upstreams }: DocumentModel, upstream: string): boolean {
  return upstreams.some(({ name, deleted }) => name === upstream && deleted === true);
}

/** The route that takes a request. Routes below `/` are distinguished by their prefixes only. */
export function routeOf({ routes }: DocumentModel, path: string, host: string): RouteModel | undefined {
  return (
    routes.find(isRoute(path, host)) ?? routes.find(isRoute(path, undefined)) ?? routes.find(isRoute("/", undefined))
  );
}
