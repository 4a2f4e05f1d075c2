import { array, boolean, literal, looseObject, object, string } from "../../../lib/schema.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { inSlices, mapSteps, type Steps } from "../../../lib/slices.ts";
import { listAt } from "../../config/diagnostic.ts";
import { JSON_TYPE, MAX_BODY_BYTES, MERGE_PATCH_TYPE } from "../http/body.ts";
import { type AdminParts } from "./parts.ts";
import { CHANGE_QUERY, changeBy, changeResponse, textMember } from "./change.ts";
import { configResponse, liveResponse } from "./config-response.ts";
import { type Call, type Operation, operationTable } from "./operation.ts";
import { anyObject, changed } from "../shapes/common.ts";

const routeBody = anyObject.openapi("Route", {
  description: "A route as in `routes[]` of the configuration; /v1/config/schema has its schema",
});

const listedRoute = looseObject({
  path_prefix: string(),
  host: string().optional(),
  name: string().optional(),
  upstream: string().optional(),
  auth: string().describe("The type of its authentication, or none; /v1/config shows the details"),
  wasm_filter: boolean().describe("Whether an entry of wasm_filters matches the route"),
  wasm_required: literal(true)
    .optional()
    .describe("Whether a worker cannot load one of its filters, and responds with 503"),
}).openapi("ListedRoute", { description: "A route as it is configured, without secrets" });

/** The query parameters that tell routes with the same prefix apart. */
export const SELECTION = {
  host: "Host of the route, if several routes have the prefix. Empty: the route without a host",
  name: "Name of the route, if several routes have the prefix. Empty: the route without a name",
};

export const PREFIX = { prefix: "The route's path_prefix, percent-encoded, as %2Fapi" };

const deletion = {
  summary: "Delete a route",
  conditional: true,
  success: { description: "No worker uses it any more", schema: object({ ...changed, deleted: string() }) },
  failures: ["not-found", "ambiguous-route", "guard-lost", "invalid-configuration", "change-failed"],
} as const satisfies Partial<Operation>;

export const ROUTE_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/routes": {
    name: "listRoutes",
    summary: "All routes, in the order of the configuration",
    conditional: true,
    success: { description: "The routes", schema: object({ routes: array(listedRoute) }) },
    async run({ request }, { config, view }) {
      const closed = new Set(view.closedRoutes);
      const list = async (): Promise<unknown> => ({
        routes: await inSlices(listedRoutes(await config.document(), closed)),
      });
      // The set of closed routes changes without the configuration.
      return closed.size === 0
        ? configResponse(request, config, "routes", list)
        : liveResponse(request, config, await list());
    },
  },
  "POST /v1/routes": {
    name: "addRoute",
    summary: "Add a route",
    conditional: true,
    query: CHANGE_QUERY,
    body: { types: [JSON_TYPE], maxBytes: MAX_BODY_BYTES, schema: routeBody, description: "The route" },
    success: {
      status: 201,
      description: "Every worker uses it",
      schema: object({
        ...changed,
        created: string(),
        host: string().optional(),
        name: string().optional(),
      }),
      headers: { Location: "Path of the route" },
    },
    failures: ["already-exists", "guard-lost", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const { body } = call;
      const prefix = textMember(body, "path_prefix") ?? "";
      const selected = definedOf({ host: textMember(body, "host"), name: textMember(body, "name") });
      const edit = { kind: "add-route", route: body } as const;
      const done = await changeBy(call, parts, edit, `the route ${shownRoute(prefix, selected)}`);
      const location = locationOf(prefix, selected);
      return changeResponse(done, { created: prefix, ...selected }, { status: 201, headers: { location } });
    },
  },
  "PATCH /v1/routes/{prefix}": {
    name: "patchRoute",
    summary: "Change a route by a JSON merge patch (RFC 7396)",
    description: "`null` removes a key. The patch may change the prefix, the host and the name too.",
    conditional: true,
    parameters: PREFIX,
    query: { ...SELECTION, ...CHANGE_QUERY },
    body: {
      types: [MERGE_PATCH_TYPE, JSON_TYPE],
      maxBytes: MAX_BODY_BYTES,
      schema: anyObject.openapi("RoutePatch"),
      description: "The merge patch",
    },
    success: { description: "Every worker uses it", schema: object({ ...changed, changed: string() }) },
    failures: [
      "not-found",
      "already-exists",
      "ambiguous-route",
      "guard-lost",
      "invalid-configuration",
      "change-failed",
    ],
    async run(call, parts) {
      const { body, parameters } = call;
      const { prefix = "" } = parameters;
      const selected = selectionOf(call);
      const edit = { kind: "patch-route", prefix, ...selected, patch: body } as const;
      const done = await changeBy(call, parts, edit, `the route ${shownRoute(prefix, selected)}`);
      return changeResponse(done, { changed: textMember(body, "path_prefix") ?? prefix });
    },
  },
  "DELETE /v1/routes/{prefix}": {
    ...deletion,
    name: "deleteRoute",
    parameters: PREFIX,
    query: { ...SELECTION, ...CHANGE_QUERY },
    run: (call, parts) => deleteBy(call.parameters["prefix"] ?? "", call, parts),
  },
  "DELETE /v1/routes": {
    // For clients that cannot send a percent-encoded path.
    ...deletion,
    name: "deleteRouteByQuery",
    query: { prefix: "The route's path_prefix", ...SELECTION, ...CHANGE_QUERY },
    run(call, parts) {
      const prefix = call.query.get("prefix");
      if (prefix !== null) return deleteBy(prefix, call, parts);
      throw new TurnpikeError("bad-request", "Cannot tell which route is meant: name its prefix with ?prefix=");
    },
  },
});

/** Routes as configured, with only the type of `auth`. With defaults, 10,000 routes would be five times as long. */
function* listedRoutes(document: unknown, closed: ReadonlySet<unknown>): Steps<unknown[]> {
  // In a served document, the items of lists are objects.
  const listed = (name: string) => listAt(document, [name]) as readonly Readonly<Record<string, unknown>>[];
  const filtered = new Set(listed("wasm_filters").map(({ match }) => match));
  return yield* mapSteps(listed("routes"), ({ auth, ...rest }) => ({
    ...rest,
    auth: typeOf(auth),
    wasm_filter: filtered.has(rest["path_prefix"]),
    ...(closed.has(rest["path_prefix"]) ? { wasm_required: true } : {}),
  }));
}

function typeOf(auth: unknown): string {
  return textMember(auth, "type") ?? "none";
}

async function deleteBy(prefix: string, call: Call, parts: AdminParts): Promise<Response> {
  const selected = selectionOf(call);
  const edit = { kind: "delete-route", prefix, ...selected } as const;
  const done = await changeBy(call, parts, edit, `the route ${shownRoute(prefix, selected)}`);
  return changeResponse(done, { deleted: prefix });
}

/** The parts that tell a route apart from others with the same prefix. */
interface Selection {
  readonly host?: string;
  readonly name?: string;
}

/** The route that a request selects among those with its prefix. */
export function selectionOf({ query }: Call): Selection {
  return definedOf({ host: query.get("host") ?? undefined, name: query.get("name") ?? undefined });
}

function definedOf({ host, name }: { host: string | undefined; name: string | undefined }): Selection {
  return { ...(host === undefined ? {} : { host }), ...(name === undefined ? {} : { name }) };
}

/** A route in messages. */
export function shownRoute(prefix: string, { host = "", name = "" }: Selection): string {
  const named = name === "" ? "" : ` named ${JSON.stringify(name)}`;
  return `${JSON.stringify(prefix)}${named}${host === "" ? "" : ` of ${JSON.stringify(host)}`}`;
}

function locationOf(prefix: string, selected: Selection): string {
  const query = new URLSearchParams({ ...selected });
  return `/v1/routes/${encodeURIComponent(prefix)}${query.size === 0 ? "" : `?${query.toString()}`}`;
}
