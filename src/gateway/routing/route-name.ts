export interface RouteIdentity {
  readonly host?: string;
  readonly path_prefix: string;
  readonly name?: string;
}

/** The name of a route in the ledger and in metrics: its host, if any, its path prefix, and `#` with its name, if any. */
export function routeName({ host, path_prefix, name }: RouteIdentity): string {
  return `${host ?? ""}${path_prefix}${name === undefined ? "" : `#${name}`}`;
}
