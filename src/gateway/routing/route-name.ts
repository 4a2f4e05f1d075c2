/** What a route is told from the others by. */
export interface RouteIdentity {
  readonly host?: string;
  readonly path_prefix: string;
  readonly name?: string;
}

/** What ledger and counters call a route: its host, where it has one, its path prefix, and `#` and its name, where it has one. */
export function routeName({ host, path_prefix, name }: RouteIdentity): string {
  return `${host ?? ""}${path_prefix}${name === undefined ? "" : `#${name}`}`;
}
