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

interface CurrentViewProps {
  readonly view: string;
  readonly query: URLSearchParams;
}

export function CurrentView({ view, query }: CurrentViewProps) {
  switch (view) {
    case "overview":
      return <Overview range={query.get("range") ?? ""} />;
    case "requests":
      return <Requests query={query} />;
    case "routes":
      return <Routes />;
    case "routes/sell":
      return <Sell />;
    case "config/settings":
      return <Edit section={SETTINGS} find={() => true} name={view} />;
    case "routes/new":
      return <Edit section={ROUTES} find={undefined} name={view} />;
    case "routes/edit": {
      const prefix = query.get("prefix");
      const host = query.get("host");
      const name = query.get("name");
      const find = (item: JsonObject): boolean =>
        item["path_prefix"] === prefix && (item["host"] ?? null) === host && (item["name"] ?? null) === name;
      return <Edit section={ROUTES} find={find} name={`${view}?${query.toString()}`} />;
    }
    case "upstreams":
      return <Upstreams />;
    case "upstreams/new":
      return <Edit section={UPSTREAMS} find={undefined} name={view} />;
    case "upstreams/edit": {
      const name = query.get("name");
      return <Edit section={UPSTREAMS} find={(item) => item["name"] === name} name={`${view}?${query.toString()}`} />;
    }
    case "payments":
      return <Payments />;
    case "payments/all":
      return <AllPayments query={query} />;
    case "payments/one":
      return <Payment id={query.get("id") ?? ""} />;
    case "payments/payers":
      return <Payers days={query.get("days") ?? ""} />;
    case "funnel":
      return <Funnel range={query.get("range") ?? ""} />;
    case "usage":
      return <Usage by={query.get("by") ?? "consumers"} />;
    case "keys":
      return <ApiKeys />;
    case "keys/credits":
      return <Credits />;
    case "keys/credit":
      return <OneCredit id={query.get("id") ?? ""} />;
    case "config":
      return <Config />;
    case "filters":
      return <Filters />;
    case "content":
      return <Content />;
    case "jobs":
      return <Jobs />;
    case "activity":
      return <Activity show={query.get("show") ?? "events"} />;
    default:
      return (
        <>
          <Head title="No such page" />
          <Empty title="The console has no page at this address">
            <a href="#/overview">Go to the overview</a>
          </Empty>
        </>
      );
  }
}
