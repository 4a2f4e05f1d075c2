import { type ServerState, type UpstreamState } from "../api/shapes.ts";
import { UPSTREAMS } from "../form/sections.ts";
import { count, counted } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { askToCall } from "../parts/ask.tsx";
import { Ago, Badge, Head, Panel } from "../parts/bits.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Button, ButtonLink, Changes } from "../parts/button.tsx";

const READ_MS = 2_000;

/** All upstreams with their servers: health, its reason, and their traffic. */
export function Upstreams() {
  const upstreams = useResource<{ readonly upstreams: readonly UpstreamState[] }>("/v1/upstreams", {
    everyMs: READ_MS,
    on: ["change", "reload", "server_health", "drain", "discovery"],
  });
  return (
    <>
      <Head title="Upstreams" lead="Groups of servers that routes forward to.">
        <Changes>
          <ButtonLink label="Add upstream" kind="primary" href={linkTo("upstreams/new")} />
        </Changes>
      </Head>
      <Loaded resource={upstreams}>
        {(data) =>
          data.upstreams.length === 0 ? (
            <Empty title="No upstreams yet">
              A route needs one to forward to.{" "}
              <Changes>
                <a href={linkTo("upstreams/new")}>Add the first upstream</a>
              </Changes>
            </Empty>
          ) : (
            data.upstreams.map((upstream) => (
              <Upstream key={upstream.name} upstream={upstream} onChange={upstreams.reload} />
            ))
          )
        }
      </Loaded>
    </>
  );
}

interface UpstreamProps {
  readonly upstream: UpstreamState;
  readonly onChange: () => void;
}

function Upstream({ upstream, onChange }: UpstreamProps) {
  const { name, servers, load_balancer: balancer, protocol, waiting } = upstream;
  const able = servers.filter(({ in_rotation: isIn }) => isIn).length;
  const editLink = linkTo("upstreams/edit", { name });
  return (
    <Panel
      title={<code>{name}</code>}
      isFlush
      aside={
        <>
          <span class="soft num">
            {able} of {servers.length} in rotation, <code>{balancer}</code>
            {protocol === undefined || protocol === "http1" ? "" : `, ${protocol}`}
          </span>
          {waiting === undefined ? (
            <RowActions name={name} editLink={editLink} onRemove={() => askToRemove(upstream, onChange)} />
          ) : null}
        </>
      }
    >
      <Table
        isEven
        caption={`Servers of ${name}`}
        rows={servers}
        keyOf={({ server }) => server}
        empty={
          waiting === undefined ? (
            <Empty title="No servers">Discovery has found none yet (502), or none is configured (503).</Empty>
          ) : (
            <Empty title="Deleted">
              Until it is added again, requests get 503: <code>{waiting.join(", ")}</code>
            </Empty>
          )
        }
        columns={COLUMNS}
        actions={(server) => <DrainButton upstream={name} server={server} onChange={onChange} />}
      />
    </Panel>
  );
}

function askToRemove({ name, servers }: UpstreamState, onChange: () => void): void {
  askToCall({
    title: "Remove this upstream?",
    action: "Remove upstream",
    body: (
      <p>
        <code>{name}</code> goes with its {counted(servers.length, "server")}. Requests of routes that name it get 503
        until it is added again. To change it without a gap, edit it.
      </p>
    ),
    path: UPSTREAMS.addressOf({ name }),
    done: `The upstream ${name} is removed. The file has it until you persist.`,
    onChange,
  });
}

const COLUMNS: readonly Column<ServerState>[] = [
  {
    name: "Server",
    cell: (server) => (
      <span class="stack">
        <code>{addressOf(server)}</code>
        <span class="soft small">
          {server.source}
          {server.backup ? ", backup" : ""}
        </span>
      </span>
    ),
  },
  { name: "Health", cell: (server) => <Health server={server} /> },
  { name: "Weight", isNumber: true, isMinor: true, cell: ({ weight }) => count(weight) },
  { name: "In flight", isNumber: true, cell: (server) => count(server.requests_in_flight) },
  { name: "Connections", isNumber: true, cell: ({ connections }) => count(connections) },
  {
    name: "Failures",
    isNumber: true,
    cell: (server) => (
      <span class="stack end">
        {count(server.failures)}
        {server.last_failure_ms === undefined ? null : (
          <span class="soft small">
            <Ago ms={server.last_failure_ms} />
          </span>
        )}
      </span>
    ),
  },
];

function addressOf({ unix, address, port, server }: ServerState): string {
  if (unix !== undefined) return unix;
  if (address === undefined) return server;
  return `${address.includes(":") ? `[${address}]` : address}:${port ?? ""}`;
}

/** The health of a server, and the reason if it receives no requests. */
export function Health({ server: { health, in_rotation: isIn, drained, reason } }: { readonly server: ServerState }) {
  const tone = drained ? "accent" : health === "unhealthy" || !isIn ? "bad" : health === "healthy" ? "good" : "none";
  return (
    <span class="stack">
      <Badge tone={tone}>
        {drained ? "drained" : isIn ? health : health === "unchecked" ? "out of rotation" : health}
      </Badge>
      {reason === "" || (isIn && !drained) ? null : <span class="soft small reason">{reason}</span>}
    </span>
  );
}

interface DrainProps {
  readonly upstream: string;
  readonly server: ServerState;
  readonly onChange: () => void;
}

function DrainButton({ upstream, server, onChange }: DrainProps) {
  const name = addressOf(server);
  const { drained } = server;
  const path = `/v1/upstreams/${encodeURIComponent(upstream)}/servers/${encodeURIComponent(server.server)}`;
  const question = (): void =>
    askToCall({
      title: drained ? "Let this server take requests again?" : "Drain this server?",
      action: drained ? "Undrain server" : "Drain server",
      body: drained ? (
        <p>
          <code>{name}</code> takes its share of new requests again.
        </p>
      ) : (
        <p>
          <code>{name}</code> takes no new requests; {counted(server.requests_in_flight, "request")} under way end by
          themselves. The other servers of <code>{upstream}</code> take its share. It is not written to the file.
        </p>
      ),
      method: "POST",
      path: `${path}/${drained ? "undrain" : "drain"}`,
      done: drained ? `${name} takes requests again.` : `${name} takes no new requests.`,
      onChange,
    });
  return <Button label={drained ? "Undrain" : "Drain"} of={name} kind="small" onClick={question} />;
}
