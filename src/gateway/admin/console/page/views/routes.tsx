import { useState } from "preact/hooks";
import { cacheShare } from "../../../figures/cache-share.ts";
import { type RouteRedirect, type RouteSummary } from "../api/shapes.ts";
import { routeAddress } from "../form/sections.ts";
import { counted, NONE, percent, short } from "../format/numbers.ts";
import { traffic } from "../live/overview-feed.ts";
import { linkTo } from "../live/view-location.ts";
import { type RouteRates } from "../../../figures/rates.ts";
import { useResource } from "../live/resource.ts";
import { useStore } from "../api/store.ts";
import { askToCall } from "../parts/ask.tsx";
import { Badge, errorCount, Head, Panel } from "../parts/bits.tsx";
import { FilterInput, RowActions } from "../parts/row-actions.tsx";
import { RouteName } from "../parts/route-name.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, latencyColumn, numberColumn, Table } from "../parts/table.tsx";
import { ButtonLink, Changes } from "../parts/button.tsx";

function labelOf({ host, path_prefix: prefix, name }: RouteSummary): string {
  return `${host ?? ""}${prefix}${name === undefined ? "" : `#${name}`}`;
}

/** The conditions of a route besides host and prefix, each in a few words. */
function conditionsOf({ match }: RouteSummary): string[] {
  if (match === undefined) return [];
  const { exact_path: isExact, path_pattern: pattern, methods = [], headers = [], query = [], grpc } = match;
  return [
    ...(isExact === true ? ["exact path"] : []),
    ...(pattern === undefined ? [] : [`path ~ ${pattern}`]),
    ...(methods.length === 0 ? [] : [methods.join(", ")]),
    ...(grpc === undefined ? [] : [`gRPC ${grpc.service ?? "*"}/${grpc.method ?? "*"}`]),
    ...headers.map(({ name, value, pattern: text }) => `${name}${conditionText(value, text)}`),
    ...query.map(({ name, value, pattern: text }) => `?${name}${conditionText(value, text)}`),
  ];
}

function conditionText(value: string | undefined, pattern: string | undefined): string {
  if (pattern !== undefined) return ` ~ ${pattern}`;
  return value === undefined ? "" : `=${value}`;
}

function Route({ route }: { readonly route: RouteSummary }) {
  const conditions = conditionsOf(route);
  if (route.name === undefined && conditions.length === 0) {
    return <RouteName host={route.host} prefix={route.path_prefix} />;
  }
  return (
    <span class="stack">
      <RouteName host={route.host} prefix={route.path_prefix} />
      <span class="soft">{[...(route.name === undefined ? [] : [`#${route.name}`]), ...conditions].join(" · ")}</span>
    </span>
  );
}

/** All routes, their policies, and their traffic. */
export function Routes() {
  const routes = useResource<{ readonly routes: readonly RouteSummary[] }>("/v1/routes", { on: ["change", "reload"] });
  return (
    <>
      <Head title="Routes" lead="The longest prefix that fits a request's path takes it.">
        <Changes>
          <ButtonLink label="Sell a path" href={linkTo("routes/sell")} />
          <ButtonLink label="Add route" kind="primary" href={linkTo("routes/new")} />
        </Changes>
      </Head>
      <Loaded resource={routes}>{(data) => <RouteTable routes={data.routes} onChange={routes.reload} />}</Loaded>
    </>
  );
}

interface RouteTableProps {
  readonly routes: readonly RouteSummary[];
  readonly onChange: () => void;
}

function RouteTable({ routes, onChange }: RouteTableProps) {
  const [filter, setFilter] = useState("");
  const columns = useColumns();
  if (routes.length === 0) {
    return (
      <Empty title="No routes yet">
        Requests get 404, or files of server.static_root.{" "}
        <Changes>
          <a href={linkTo("routes/new")}>Add the first route</a>
        </Changes>
      </Empty>
    );
  }
  const shown = routes.filter((route) => searchText(route).includes(filter.trim().toLowerCase()));
  return (
    <Panel
      title={counted(shown.length, "route")}
      aside={<FilterInput label="Filter routes" value={filter} onType={setFilter} />}
      isFlush
    >
      <Table
        caption="Routes, with rates of the last minute"
        columns={columns}
        actions={(route) => <Actions route={route} onChange={onChange} />}
        rows={shown}
        keyOf={labelOf}
        empty={
          <Empty title={`No route has “${filter}” in it`}>Prefixes, hosts, upstreams and guards are searched.</Empty>
        }
      />
    </Panel>
  );
}

function useColumns(): readonly Column<RouteSummary>[] {
  const { window, now } = useStore(traffic);
  const caches = new Map((now?.caches.routes ?? []).map((cache) => [cache.route, cache]));
  const ratesOf = (route: RouteSummary): RouteRates | undefined => window?.routes.get(labelOf(route));
  const perSecond = (route: RouteSummary): number => ratesOf(route)?.perSecond ?? 0;
  const errors = (route: RouteSummary): number => ratesOf(route)?.serverErrors ?? 0;
  return [
    { name: "Route", sort: labelOf, cell: (route) => <Route route={route} /> },
    { name: "Goes to", cell: (route) => <Target route={route} /> },
    { name: "Guards", cell: (route) => <Guards route={route} /> },
    {
      name: "Price",
      isNumber: true,
      cell: ({ x402 }) => (x402 === undefined ? NONE : <span title={x402.network}>{priceText(x402)}</span>),
    },
    {
      name: "Cache hits",
      isNumber: true,
      isMinor: true,
      cell: (route) => (route.cache === undefined ? NONE : percent(cacheShareOf(caches.get(labelOf(route))))),
    },
    numberColumn("Requests", perSecond, (value) => (window === undefined ? NONE : `${short(value)} /s`)),
    latencyColumn("p95", (route) => ratesOf(route)?.p95),
    numberColumn("5xx", errors, (value) => (window === undefined ? NONE : errorCount(value))),
  ];
}

/** A route with several methods of payment has its prices in `accepts`. */
function priceText({ price, scheme, accepts = [] }: NonNullable<RouteSummary["x402"]>): string {
  return `${scheme === "upto" ? "up to " : ""}${price ?? accepts[0]?.price ?? ""}${accepts.length > 1 ? " …" : ""}`;
}

function cacheShareOf(cache: Parameters<typeof cacheShare>[1] | undefined): number | undefined {
  return cache === undefined ? undefined : cacheShare(undefined, cache);
}

function searchText(route: RouteSummary): string {
  const { path_prefix: prefix, host, name, upstream, auth, traffic_split: split } = route;
  const names = [
    prefix,
    host,
    name,
    upstream,
    auth,
    ...conditionsOf(route),
    ...(split ?? []).map((share) => share.upstream ?? ""),
  ];
  return names.join(" ").toLowerCase();
}

function RedirectTarget({ redirect }: { readonly redirect: RouteRedirect }) {
  const { scheme, host, port, path, prefix, status = 302 } = redirect;
  const origin = `${scheme === undefined ? "" : `${scheme}://`}${host ?? ""}${port === undefined ? "" : `:${port}`}`;
  return (
    <span>
      {status} to <code>{`${origin}${path ?? prefix ?? ""}`}</code>
    </span>
  );
}

function Target({ route }: { readonly route: RouteSummary }) {
  const { upstream, traffic_split: split, tenant, redirect, fixed_response: fixed } = route;
  if (fixed !== undefined) return <span>responds with {fixed.status ?? 200}</span>;
  if (redirect !== undefined) return <RedirectTarget redirect={redirect} />;
  if (split !== undefined && split.length > 0) {
    const whole = split.reduce((sum, { weight }) => sum + weight, 0);
    return (
      <span class="stack">
        {split.map(({ upstream: name, redirect: to, weight }, at) => (
          <span key={at} class="num">
            {to === undefined ? <code>{name}</code> : <RedirectTarget redirect={to} />}{" "}
            <span class="soft">{percent(whole === 0 ? 0 : weight / whole)}</span>
          </span>
        ))}
      </span>
    );
  }
  if (upstream !== undefined) return <code>{upstream}</code>;
  return tenant === undefined ? <>{NONE}</> : <span>tenants</span>;
}

function Guards({
  route: { auth, rate_limit: limit, wasm_filter: hasFilter, wasm_required: isBroken },
}: {
  readonly route: RouteSummary;
}) {
  const guards = [
    ...(auth === "none" ? [] : [auth]),
    ...(limit === undefined ? [] : [`${short(limit.requests_per_second ?? 100)} /s`]),
    ...(hasFilter ? ["filter"] : []),
  ];
  return (
    <span class="stack">
      <span>{guards.length === 0 ? NONE : guards.join(", ")}</span>
      {isBroken === true ? <Badge tone="bad">filter missing: responds with 503</Badge> : null}
    </span>
  );
}

function Actions({ route, onChange }: { readonly route: RouteSummary; readonly onChange: () => void }) {
  const name = labelOf(route);
  const remove = (): void =>
    askToCall({
      title: "Remove this route?",
      action: "Remove route",
      body: (
        <p>
          Requests to <code>{name}</code> go to the next route that fits, or get 404. Requests under way end as they
          began. It stays in the file until you persist.
        </p>
      ),
      path: routeAddress(route.path_prefix, route.host, route.name),
      done: `The route ${name} is removed. The file has it until you persist.`,
      onChange,
    });
  const editLink = linkTo("routes/edit", { prefix: route.path_prefix, host: route.host, name: route.name });
  return <RowActions name={name} editLink={editLink} onRemove={remove} />;
}
