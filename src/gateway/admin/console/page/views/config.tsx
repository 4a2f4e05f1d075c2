import { call } from "../api/client.ts";
import { Problem } from "../api/problem.ts";
import { type JsonObject, type LastReload, type PatchOperation, type Status } from "../api/shapes.ts";
import { counted } from "../format/numbers.ts";
import { fullTime } from "../format/times.ts";
import { linkTo } from "../live/view-location.ts";
import { type Resource, useResource } from "../live/resource.ts";
import { ask, askToCall } from "../parts/ask.tsx";
import { Badge, Fact, Head, Panel, Time } from "../parts/bits.tsx";
import { PatchList } from "../parts/patch-list.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { tell } from "../parts/told.tsx";
import { actorOf } from "./event-text.ts";
import { Button, ButtonLink, Changes } from "../parts/button.tsx";

const EVENTS = ["change", "reload", "persist", "config_file"];
const READ_MS = 10_000;

/** The running configuration and its file: their differences, and a way to write or reload the file. */
export function Config() {
  const status = useResource<Status>("/v1/status", { everyMs: READ_MS, on: EVENTS });
  const { data } = status;
  return (
    <>
      <Head title="Configuration" lead="Changes made here are in memory until you persist them.">
        {data === undefined ? null : (
          <Changes>
            <ButtonLink label="Edit settings" href={linkTo("config/settings")} />
            <ReloadButton status={data} onChange={status.reload} />
            <PersistButton status={data} onChange={status.reload} />
          </Changes>
        )}
      </Head>
      <Loaded resource={status}>{(read) => <Sides status={read} />}</Loaded>
      <Whole />
    </>
  );
}

function Sides({ status }: { readonly status: Status }) {
  const { config, last_reload: lastReload } = status;
  return (
    <>
      <Panel title="File">
        <dl class="facts">
          <Fact name="Path">{config.path === null ? "none: it cannot be persisted" : <code>{config.path}</code>}</Fact>
          <Fact name="In memory">
            <Badge tone={config.changed_in_memory ? "warn" : "good"}>
              {config.changed_in_memory ? "differs from the file" : "same as the file"}
            </Badge>
          </Fact>
          <Fact name="On disk">
            <Badge tone={config.changed_on_disk ? "warn" : "good"}>
              {config.changed_on_disk
                ? "changed by another program or user since it was read"
                : "as it was read or written"}
            </Badge>
          </Fact>
          <Fact name="Version">
            <span class="num">
              Turnpike {status.version}, {counted(status.routes, "route")}, {counted(status.upstreams, "upstream")}
            </span>
          </Fact>
        </dl>
      </Panel>
      <Panel
        title="Not in the file yet"
        aside={<span class="soft num">{counted(config.difference.length, "difference")}</span>}
      >
        {config.difference.length === 0 ? (
          <Empty title="Memory and file are the same">A restart brings up exactly what runs now.</Empty>
        ) : (
          <PatchList patch={config.difference} />
        )}
      </Panel>
      {status.certificates.length === 0 ? null : <Certificates certificates={status.certificates} />}
      {lastReload === null ? null : <Reloaded reload={lastReload} />}
    </>
  );
}

/** Milliseconds. A certificate that expires sooner is marked. */
const NEAR_MS = 30 * 86_400_000;

function Certificates({ certificates }: { readonly certificates: Status["certificates"] }) {
  const now = Date.now();
  return (
    <Panel title="Certificates">
      <dl class="facts">
        {certificates.map(({ path, valid_from_ms: from, valid_to_ms: to }) => (
          <Fact key={path} name={<code>{path}</code>}>
            <Badge tone={now < from || to < now ? "bad" : to - now < NEAR_MS ? "warn" : "good"}>
              {now < from ? "not valid yet" : to < now ? "expired" : `${Math.floor((to - now) / 86_400_000)} days left`}
            </Badge>{" "}
            {fullTime(now < from ? from : to)}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

function Reloaded({ reload }: { readonly reload: LastReload }) {
  const discarded = reload.discarded ?? [];
  return (
    <Panel title="Last reload" aside={<Time ms={reload.time_ms} />}>
      <p>
        <Badge tone={reload.ok ? "good" : "bad"}>{reload.ok ? "done" : "refused"}</Badge> by {actorOf(reload)}
        {reload.detail === "" ? "" : `: ${reload.detail}`}
      </p>
      {discarded.length === 0 ? null : (
        <>
          <h3>Changes that it discarded</h3>
          <PatchList patch={discarded} />
        </>
      )}
    </Panel>
  );
}

interface ButtonProps {
  readonly status: Status;
  readonly onChange: () => void;
}

function Difference({ patch }: { readonly patch: readonly PatchOperation[] }) {
  return patch.length === 0 ? null : (
    <div class="scroll" tabIndex={0} role="group" aria-label="Differences">
      <PatchList patch={patch} />
    </div>
  );
}

function PersistButton({ status: { config }, onChange }: ButtonProps) {
  const done = "The file has the running configuration now.";
  const persist = (): void =>
    ask({
      title: "Write the running configuration to the file?",
      action: "Persist",
      body: (
        <>
          <p>
            <code>{config.path}</code> gets {counted(config.difference.length, "difference")}. A restart brings them up
            again.
          </p>
          <Difference patch={config.difference} />
        </>
      ),
      async run() {
        try {
          await call("/v1/config/persist", { method: "POST" });
          tell(done);
          onChange();
        } catch (error) {
          if (!(error instanceof Problem) || error.body.code !== "changed_on_disk") throw error;
          askToForce();
        }
      },
    });
  const askToForce = (): void =>
    askToCall({
      title: "Overwrite the other changes?",
      action: "Write over them",
      isDangerous: true,
      body: (
        <p>
          <code>{config.path}</code> was changed since the gateway read it. Writing now loses those changes. To take
          them over instead, cancel and reload.
        </p>
      ),
      method: "POST",
      path: "/v1/config/persist?force=true",
      done,
      onChange,
    });
  const canPersist = config.path !== null && (config.changed_in_memory || config.changed_on_disk);
  return (
    <Button
      label="Persist"
      kind="primary"
      isDisabled={!canPersist}
      title={canPersist ? undefined : config.path === null ? "There is no file" : "Memory and file are the same"}
      onClick={persist}
    />
  );
}

function ReloadButton({ status: { config }, onChange }: ButtonProps) {
  const reload = (): void =>
    askToCall({
      title: "Read the file again?",
      action: "Reload",
      isDangerous: config.changed_in_memory,
      body: config.changed_in_memory ? (
        <>
          <p>These changes are in memory only and are lost:</p>
          <Difference patch={config.difference} />
        </>
      ) : (
        <p>
          All workers use what <code>{config.path}</code> says now. If it is not valid, nothing changes.
        </p>
      ),
      method: "POST",
      path: "/v1/reload",
      done: "The file is read, and all workers serve by it.",
      onChange,
    });
  return <Button label="Reload" isDisabled={config.path === null} onClick={reload} />;
}

/** Characters. A longer text slows the page down. */
const MAX_SHOWN = 200_000;

function Whole() {
  const config: Resource<JsonObject> = useResource<JsonObject>("/v1/config", { on: EVENTS });
  return (
    <Panel title="What runs now">
      <details class="fold">
        <summary>The whole configuration, without secrets</summary>
        <Loaded resource={config}>{(data) => <Document document={data} />}</Loaded>
      </details>
    </Panel>
  );
}

function Document({ document }: { readonly document: JsonObject }) {
  const text = JSON.stringify(document, undefined, 2);
  return (
    <>
      <pre class="document" tabIndex={0}>
        {text.slice(0, MAX_SHOWN)}
      </pre>
      {text.length > MAX_SHOWN ? (
        <p>
          It is cut here. <a href="/v1/config">The whole of it</a>
        </p>
      ) : null}
    </>
  );
}
