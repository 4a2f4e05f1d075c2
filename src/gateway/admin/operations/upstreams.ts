import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { inSlices, mapSteps, type Steps } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { listAt } from "../../config/diagnostic.ts";
import { withoutSecrets } from "../../config/secrets.ts";
import { upstreamReferences } from "../../config/upstream-references.ts";
import { routeName } from "../../routing/route-name.ts";
import { JSON_TYPE, MAX_BODY_BYTES, MERGE_PATCH_TYPE } from "../http/body.ts";
import { changeBy, changeResponse, STRICT, textMember } from "./change.ts";
import { liveResponse } from "./config-response.ts";
import { callerOf, type Operation, operationTable, type PlacedOperation } from "./operation.ts";
import {
  anyObject,
  changed,
  deletedUpstream,
  listedUpstreams,
  type OverviewUpstream,
  type ServerFigures,
} from "../shapes/common.ts";
import { bareHost, hostAndPort } from "../../../lib/http/url-host.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const upstreamBody = anyObject.openapi("Upstream", {
  description: "An upstream as in `upstreams[]` of the configuration; /v1/config/schema has its schema",
});

const NAME = { name: "The upstream's name, percent-encoded" };

function drainOperation(isDrained: boolean): PlacedOperation {
  const verb = isDrained ? "drain" : "undrain";
  return {
    name: `${verb}Server`,
    summary: isDrained
      ? "Drain a server: it gets no new requests, and requests in flight end"
      : "Send requests to a drained server again",
    description: "Not written to the file. It survives reloads while the configuration has the server.",
    parameters: { ...NAME, server: "The server's key as in the list, percent-encoded" },
    success: {
      description: "Every worker applies it",
      schema: z.object({ ok: z.literal(true), drained: z.boolean() }),
    },
    failures: ["not-found"],
    run(call, { view }) {
      const { name = "", server: key = "" } = call.parameters;
      const found = view.drain({ upstream: name, server: key }, isDrained, callerOf(call).by);
      if (!found) {
        throw new TurnpikeError(
          "not-found",
          `Cannot ${verb} server ${JSON.stringify(key)}: ${thing(name)} has no server of this name`,
        );
      }
      return Response.json({ ok: true, drained: isDrained });
    },
  };
}

export const UPSTREAM_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/upstreams": {
    name: "listUpstreams",
    summary: "All upstreams, with every server that is configured or found",
    conditional: true,
    success: { description: "The upstreams", schema: listedUpstreams },
    async run({ request }, { config, overview }) {
      const upstreams = await inSlices(upstreamsShown(config.config, overview.servers()));
      return liveResponse(request, config, { upstreams });
    },
  },
  "POST /v1/upstreams": {
    // It may take the place of a deleted upstream.
    name: "addUpstream",
    summary: "Add an upstream",
    conditional: true,
    query: STRICT,
    body: { types: [JSON_TYPE], maxBytes: MAX_BODY_BYTES, schema: upstreamBody, description: "The upstream" },
    success: {
      status: 201,
      description: "Every worker uses it",
      schema: z.object({ ...changed, created: z.string() }),
      headers: { Location: "Path of the upstream" },
    },
    failures: ["already-exists", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const name = textMember(call.body, "name") ?? "";
      const done = await changeBy(call, parts, { kind: "add-upstream", upstream: call.body }, thing(name));
      const location = `/v1/upstreams/${encodeURIComponent(name)}`;
      return changeResponse(done, { created: name }, { status: 201, headers: { location } });
    },
  },
  "PATCH /v1/upstreams/{name}": {
    name: "patchUpstream",
    summary: "Change an upstream by a JSON merge patch (RFC 7396)",
    description: "`null` removes a key. Lists are replaced as a whole.",
    conditional: true,
    query: STRICT,
    parameters: NAME,
    body: {
      types: [MERGE_PATCH_TYPE, JSON_TYPE],
      maxBytes: MAX_BODY_BYTES,
      schema: anyObject.openapi("UpstreamPatch"),
      description: "The merge patch",
    },
    success: { description: "Every worker uses it", schema: z.object({ ...changed, changed: z.string() }) },
    failures: ["not-found", "already-exists", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const { name = "" } = call.parameters;
      const done = await changeBy(call, parts, { kind: "patch-upstream", name, patch: call.body }, thing(name));
      return changeResponse(done, { changed: textMember(call.body, "name") ?? name });
    },
  },
  "DELETE /v1/upstreams/{name}": {
    name: "deleteUpstream",
    summary: "Delete an upstream",
    description:
      "Routes that name it respond with 503 until an upstream of this name is added. To avoid the gap, use PATCH.",
    conditional: true,
    query: STRICT,
    parameters: NAME,
    success: {
      description: "No worker uses it any more",
      schema: deletedUpstream,
    },
    failures: ["not-found", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const { name = "" } = call.parameters;
      const done = await changeBy(call, parts, { kind: "delete-upstream", name }, thing(name));
      const waiting = waitingRoutes(parts.config.config).get(name) ?? [];
      return changeResponse(done, { deleted: name, waiting: [...waiting] });
    },
  },
  "POST /v1/upstreams/{name}/servers/{server}/drain": drainOperation(true),
  "POST /v1/upstreams/{name}/servers/{server}/undrain": drainOperation(false),
});

/** The names of the routes that name each deleted upstream. */
function waitingRoutes({ upstreams, routes }: Config): ReadonlyMap<string, ReadonlySet<string>> {
  const deleted = upstreams.filter((upstream) => upstream.deleted);
  const waiting = new Map(deleted.map(({ name }) => [name, new Set<string>()]));
  if (waiting.size === 0) return waiting;
  for (const { path, name } of upstreamReferences({ routes })) {
    const route = routes[Number(path[1])];
    if (route !== undefined) waiting.get(name)?.add(routeName(route));
  }
  return waiting;
}

/** Each upstream as configured, with the current state of its servers, including those from service discovery. */
function* upstreamsShown(config: Config, live: readonly OverviewUpstream[]): Steps<unknown[]> {
  const serversOf = new Map(live.map(({ name, servers }) => [name, servers]));
  const waiting = waitingRoutes(config);
  return yield* mapSteps(config.upstreams, (upstream, i) => {
    // It stays an object.
    const { deleted, ...own } = withoutSecrets(upstream, ["upstreams", i]) as JsonObject;
    const name = String(own["name"]);
    const ownServers = new Map(listAt(own, ["servers"]).map((one) => [keyOf(one as JsonObject), one as JsonObject]));
    const servers = serversOf.get(name) ?? [];
    return {
      ...own,
      ...(deleted === true ? { deleted, waiting: [...(waiting.get(name) ?? [])] } : {}),
      servers: servers.map((figures) => ({ ...ownServers.get(figures.server), ...addressOf(figures), ...figures })),
    };
  });
}

/** A server's name, as in the upstream directory. */
function keyOf({ unix, address, port }: JsonObject): string {
  if (typeof unix === "string") return `unix:${unix}`;
  return hostAndPort(String(address), String(port));
}

function addressOf({ server: key }: ServerFigures): JsonObject {
  if (key.startsWith("unix:")) return { unix: key.slice("unix:".length) };
  const colon = key.lastIndexOf(":");
  return { address: bareHost(key.slice(0, colon)), port: Number(key.slice(colon + 1)) };
}

function thing(name: string): string {
  return `the upstream ${JSON.stringify(name)}`;
}
