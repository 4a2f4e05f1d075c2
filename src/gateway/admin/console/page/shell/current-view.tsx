import { type ComponentChildren } from "preact";
import { type JsonObject } from "../api/shapes.ts";
import { ROUTES, SETTINGS, UPSTREAMS } from "../form/sections.ts";
import { Head } from "../parts/bits.tsx";
import { Empty } from "../parts/states.tsx";
import { Activity } from "../views/activity.tsx";
import { AllPayments } from "../views/all-payments.tsx";
import { Config } from "../views/config.tsx";
import { Content } from "../views/content.tsx";
import { Credits, OneCredit } from "../views/credits.tsx";
import { Edit } from "../views/edit.tsx";
import { Filters } from "../views/filters.tsx";
import { Funnel } from "../views/funnel.tsx";
import { Jobs } from "../views/jobs.tsx";
import { ApiKeys } from "../views/keys.tsx";
import { Overview } from "../views/overview.tsx";
import { Payers } from "../views/payers.tsx";
import { Payment } from "../views/payment.tsx";
import { Payments } from "../views/payments.tsx";
import { Requests } from "../views/requests.tsx";
import { Routes } from "../views/routes.tsx";
import { Sell } from "../views/sell.tsx";
import { Upstreams } from "../views/upstreams.tsx";
import { Usage } from "../views/usage.tsx";

type View = (query: URLSearchParams, view: string) => ComponentChildren;

const VIEWS: Readonly<Record<string, View>> = {
  overview: (query) => <Overview range={query.get("range") ?? ""} />,
  requests: (query) => <Requests query={query} />,
  routes: () => <Routes />,
  "routes/sell": () => <Sell />,
  "routes/new": (_query, view) => <Edit section={ROUTES} find={undefined} name={view} />,
  "routes/edit": editRoute,
  upstreams: () => <Upstreams />,
  "upstreams/new": (_query, view) => <Edit section={UPSTREAMS} find={undefined} name={view} />,
  "upstreams/edit": editUpstream,
  payments: () => <Payments />,
  "payments/all": (query) => <AllPayments query={query} />,
  "payments/one": (query) => <Payment id={query.get("id") ?? ""} />,
  "payments/payers": (query) => <Payers days={query.get("days") ?? ""} />,
  funnel: (query) => <Funnel range={query.get("range") ?? ""} />,
  usage: (query) => <Usage by={query.get("by") ?? "consumers"} />,
  keys: () => <ApiKeys />,
  "keys/credits": () => <Credits />,
  "keys/credit": (query) => <OneCredit id={query.get("id") ?? ""} />,
  config: () => <Config />,
  "config/settings": (_query, view) => <Edit section={SETTINGS} find={() => true} name={view} />,
  filters: () => <Filters />,
  content: () => <Content />,
  jobs: () => <Jobs />,
  activity: (query) => <Activity show={query.get("show") ?? "events"} />,
};

export function CurrentView({ view, query }: { readonly view: string; readonly query: URLSearchParams }) {
  if (Object.hasOwn(VIEWS, view)) return <>{VIEWS[view]?.(query, view)}</>;
  return (
    <>
      <Head title="No such page" />
      <Empty title="The console has no page at this address">
        <a href="#/overview">Go to the overview</a>
      </Empty>
    </>
  );
}

function editRoute(query: URLSearchParams, view: string) {
  const [prefix, host, name] = ["prefix", "host", "name"].map((key) => query.get(key));
  const find = (item: JsonObject): boolean =>
    item["path_prefix"] === prefix && (item["host"] ?? null) === host && (item["name"] ?? null) === name;
  return <Edit section={ROUTES} find={find} name={`${view}?${query.toString()}`} />;
}

function editUpstream(query: URLSearchParams, view: string) {
  const name = query.get("name");
  return <Edit section={UPSTREAMS} find={(item) => item["name"] === name} name={`${view}?${query.toString()}`} />;
}
