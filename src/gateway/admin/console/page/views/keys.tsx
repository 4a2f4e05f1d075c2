import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type ListedKeys } from "../api/shapes.ts";
import { counted } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { askToCall } from "../parts/ask.tsx";
import { Head, Panel } from "../parts/bits.tsx";
import { IssuedSecret } from "../parts/issued-secret.tsx";
import { RouteName } from "../parts/route-name.tsx";
import { Choice, SmallForm, TextInput } from "../parts/small-form.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Button, Changes } from "../parts/button.tsx";

const EVENTS = ["change", "reload"];
const VIEWS = [
  ["keys", "API keys"],
  ["keys/credits", "Credit tokens"],
] as const;
type RouteKeys = ListedKeys["routes"][number];

interface KeyRow {
  readonly route: RouteKeys;
  readonly number: number;
  readonly owner: string;
}

/** The header of the views of keys and credit. */
export function AccessHead({ view, lead }: { readonly view: string; readonly lead: ComponentChildren }) {
  return (
    <>
      <Head title="Keys and credit" lead={lead} />
      <Tabs label="Keys and credit" tabs={VIEWS} current={view} />
    </>
  );
}

/** The API keys of all routes. */
export function ApiKeys() {
  const read = useResource<ListedKeys>("/v1/keys", { on: EVENTS });
  return (
    <>
      <AccessHead
        view="keys"
        lead="Keys are stored as hashes in the configuration. Changes are in memory until you persist them."
      />
      <Loaded resource={read}>
        {({ routes }) =>
          routes.length === 0 ? (
            <Empty title="No route takes API keys">
              Set <code>auth</code> with the type <code>api_key</code> on a <a href={linkTo("routes")}>route</a>. Its{" "}
              <code>keys</code> may be empty.
            </Empty>
          ) : (
            <>
              <Changes>
                <Issue routes={routes} onIssue={read.reload} />
              </Changes>
              <Listed routes={routes} etag={read.etag} onChange={read.reload} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function addressOf({ path_prefix: prefix, host = "", name = "" }: RouteKeys, number = ""): string {
  const query = new URLSearchParams({ host, name }).toString();
  return `/v1/routes/${encodeURIComponent(prefix)}/keys${number === "" ? "" : `/${number}`}?${query}`;
}

function titleOf({ host, path_prefix: prefix, name }: RouteKeys): string {
  return `${host ?? ""}${prefix}${name === undefined ? "" : `#${name}`}`;
}

function Issue({ routes, onIssue }: { readonly routes: readonly RouteKeys[]; readonly onIssue: () => void }) {
  const [at, setAt] = useState("0");
  const [owner, setOwner] = useState("");
  const [issued, setIssued] = useState<{ readonly key: string; readonly owner: string }>();
  const issue = async (): Promise<void> => {
    const route = routes[Number(at)];
    if (route === undefined) return;
    const { body } = await call<{ key: string; owner: string }>(addressOf(route), {
      method: "POST",
      body: { name: owner.trim() },
    });
    setIssued(body);
    setOwner("");
    onIssue();
  };
  return (
    <Panel title="Issue a key">
      {issued === undefined ? null : (
        <IssuedSecret
          label={`The key of ${issued.owner}.`}
          secret={issued.key}
          onDismiss={() => setIssued(undefined)}
        />
      )}
      <SmallForm action="Issue key" run={issue}>
        <Choice
          label="Route"
          value={at}
          choices={routes.map((route, index) => [String(index), titleOf(route)] as const)}
          onChoose={setAt}
        />
        <TextInput label="Owner" value={owner} onType={setOwner} isRequired help="The consumer in logs and usage" />
      </SmallForm>
    </Panel>
  );
}

interface ListedProps {
  readonly routes: readonly RouteKeys[];
  readonly etag: string | undefined;
  readonly onChange: () => void;
}

function Listed({ routes, etag, onChange }: ListedProps) {
  const rows = routes.flatMap((route) => route.keys.map((key): KeyRow => ({ route, ...key })));
  const revoke = ({ route, number, owner }: KeyRow): void =>
    askToCall({
      title: `Revoke the key of ${owner}?`,
      action: "Revoke key",
      body: (
        <p>
          Requests to <code>{titleOf(route)}</code> with key {number} get 401 from then on.
        </p>
      ),
      path: `${addressOf(route, String(number))}&owner=${encodeURIComponent(owner)}`,
      ifMatch: etag,
      done: `The key of ${owner} is revoked.`,
      onChange,
    });
  return (
    <Panel title={counted(rows.length, "key")} isFlush>
      <Table<KeyRow>
        caption="API keys"
        rows={rows}
        keyOf={({ route, number }) => `${titleOf(route)} ${number}`}
        columns={[
          { name: "Owner", sort: ({ owner }) => owner, cell: ({ owner }) => <span class="whole">{owner}</span> },
          {
            name: "Route",
            sort: ({ route }) => titleOf(route),
            cell: ({ route }) => <RouteName host={route.host} prefix={route.path_prefix} />,
          },
          { name: "Number", isNumber: true, cell: ({ number }) => number },
        ]}
        actions={(row) => (
          <Button
            label="Revoke"
            of={`key ${row.number} of ${row.owner}`}
            kind="small quiet"
            onClick={() => revoke(row)}
          />
        )}
      />
    </Panel>
  );
}
