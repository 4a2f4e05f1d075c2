import { z } from "@hono/zod-openapi";
import { publishedSchema } from "../../config/json-schema.ts";
import { JSON_TYPE, MAX_CONFIG_BYTES } from "../http/body.ts";
import { entityTag, refuseKnown, revisionsOf } from "../http/preconditions.ts";
import { CHANGE_QUERY, changeResponse, changeBy, STRICT } from "./change.ts";
import { configResponse } from "./config-response.ts";
import { type Call, callerOf, hasFlag, type Operation } from "./operation.ts";
import { reportedDiagnostic, requireCheck, requirePersist, requireReload } from "./outcomes.ts";
import { anyObject, changed, ETAG, diagnostic, patchOperation } from "./shapes.ts";

/** The body of an operation with `isUnread`. */
function bytesOf({ body }: Call): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error("Cannot read the body: the operation expects its bytes");
}

const document = anyObject.openapi("Configuration", {
  description:
    'The whole configuration. Secrets are shown as "<secret>". A "<secret>" in a request keeps the stored value',
});

/** `GET /v1/config`: the running configuration, with secrets replaced. */
export const showConfig: Operation = {
  name: "showConfig",
  method: "get",
  path: "/v1/config",
  summary: "The running configuration, without secrets",
  access: "read",
  conditional: true,
  success: { status: 200, description: "The configuration", schema: document, headers: ETAG },
  failures: [],
  run: ({ request }, { config }) => configResponse(request, config, "config", () => config.document()),
};

/** `PUT /v1/config`: replaces the running configuration in every worker. The file does not change. */
export const replaceConfig: Operation = {
  name: "replaceConfig",
  method: "put",
  path: "/v1/config",
  summary: "Replace the whole configuration",
  access: "full",
  conditional: true,
  query: CHANGE_QUERY,
  body: {
    types: [JSON_TYPE],
    maxBytes: MAX_CONFIG_BYTES,
    schema: document,
    description: "The configuration",
    isUnread: true,
  },
  success: { status: 200, description: "Every worker uses it", schema: z.object(changed), headers: ETAG },
  failures: ["guard-lost", "invalid-configuration", "change-failed"],
  async run(call, parts) {
    const edit = { kind: "replace", bytes: bytesOf(call) } as const;
    return changeResponse(await changeBy(call, parts, edit, "the configuration"), {});
  },
};

/** `POST /v1/config/check`: the problems and effects of a configuration. Nothing changes. */
export const checkConfig: Operation = {
  name: "checkConfig",
  method: "post",
  path: "/v1/config/check",
  summary: "Check a configuration without applying it",
  access: "read",
  body: {
    types: [JSON_TYPE],
    maxBytes: MAX_CONFIG_BYTES,
    schema: document,
    description: "A whole configuration",
    isUnread: true,
  },
  success: {
    status: 200,
    description: "The effects; `ok` is false if there are problems",
    schema: z.object({
      ok: z.boolean(),
      problems: z.array(diagnostic),
      warnings: z.array(diagnostic),
      difference: z.array(patchOperation).openapi({ description: "From the running configuration to this one" }),
      restart: z.array(z.string()).openapi({ description: "Keys whose change takes effect at the next start only" }),
    }),
  },
  failures: [],
  async run(call, { config }) {
    const { ok, problems, warnings, difference, restart } = requireCheck(
      await config.check(bytesOf(call), callerOf(call).by),
    );
    const diagnostics = { problems: problems.map(reportedDiagnostic), warnings: warnings.map(reportedDiagnostic) };
    return Response.json({ ok, ...diagnostics, difference, restart });
  },
};

/** `GET /v1/config/schema`: the JSON schema of the configuration. */
export const showSchema: Operation = {
  name: "showSchema",
  method: "get",
  path: "/v1/config/schema",
  summary: "The JSON schema of the configuration",
  access: "read",
  success: { status: 200, description: "A JSON schema (draft 2020-12)", schema: anyObject.openapi("JsonSchema") },
  failures: [],
  run: () => Response.json((published ??= publishedSchema())),
};

let published: object | undefined;

/** `POST /v1/config/persist`: writes the running configuration to its file. */
export const persistConfig: Operation = {
  name: "persistConfig",
  method: "post",
  path: "/v1/config/persist",
  summary: "Write the running configuration to its file",
  access: "full",
  conditional: true,
  query: [{ name: "force", description: "Also overwrite changes of other programs", flag: true }],
  success: {
    status: 200,
    description: "The file is written",
    schema: z.object({ ok: z.literal(true), persisted: z.literal(true) }),
    headers: ETAG,
  },
  failures: ["changed-on-disk", "no-config-file", "disk-full", "persist-failed"],
  async run(call, { config }) {
    const { headers } = call.request;
    refuseKnown(headers, config.revision);
    const force = hasFlag(call.query, "force");
    const outcome = await config.persist(callerOf(call).by, { force }, revisionsOf(headers.get("if-match")));
    requirePersist(outcome);
    return Response.json({ ok: true, persisted: true }, { headers: { etag: entityTag(config.revision) } });
  },
};

/** `POST /v1/reload`: loads the configuration file, and lists the unsaved changes that are discarded. */
export const reloadConfig: Operation = {
  name: "reloadConfig",
  method: "post",
  path: "/v1/reload",
  summary: "Load the configuration file",
  description:
    "Changes that are in memory only are discarded; the response lists the first 1,000 of them, or 1 MiB of text.",
  access: "full",
  query: [STRICT],
  success: {
    status: 200,
    description: "Every worker uses it",
    schema: z.object({ ...changed, discarded: z.array(patchOperation) }),
    headers: ETAG,
  },
  failures: ["invalid-configuration", "no-config-file", "change-failed"],
  async run(call, { config }) {
    const done = requireReload(await config.reload(callerOf(call).by, { strict: hasFlag(call.query, "strict") }));
    return changeResponse(done, { discarded: done.discarded });
  },
};
