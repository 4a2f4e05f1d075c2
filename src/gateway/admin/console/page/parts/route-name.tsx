/** The name of a route: its host, if it has one, and its prefix. */
export function RouteName({ host, prefix }: { readonly host?: string | undefined; readonly prefix: string }) {
  return (
    <code class="route-name">
      {host === undefined ? null : <span class="soft">{host}</span>}
      {prefix}
    </code>
  );
}
