/** What ledger and counters call a route: its host, where it has one, and its path prefix. */
export function routeName({ host, path_prefix }: { readonly host?: string; readonly path_prefix: string }): string {
  return `${host ?? ""}${path_prefix}`;
}
