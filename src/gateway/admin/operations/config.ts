import { z } from "@hono/zod-openapi";
import { publishedSchema } from "../../config/json-schema.ts";
import { JSON_TYPE, MAX_CONFIG_BYTES } from "../http/body.ts";
import { entityTag, refuseKnown, revisionsOf } from "../http/preconditions.ts";
import { CHANGE_QUERY, changeResponse, changeBy, STRICT } from "./change.ts";
import { configResponse } from "./config-response.ts";
import { type Call, callerOf, hasFlag, type Operation, operationTable } from "./operation.ts";
import { reportedDiagnostic, requireCheck, requirePersist, requireReload } from "./outcomes.ts";
import { anyObject, changed, checked, ETAG, patchOperation } from "../shapes/common.ts";

function bytesOf({ body }: Call): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error("Cannot read the body: the operation expects its bytes");
}

const document = anyObject.openapi("Configuration", {
  description:
    'The whole configuration. Secrets are shown as "<secret>". A "<secret>" in a request keeps the stored value',
});
const body = {
  types: [JSON_TYPE],
  maxBytes: MAX_CONFIG_BYTES,
  schema: document,
  description: "A whole configuration",
  isUnread: true,
} as const;

let published: object | undefined;

export const CONFIG_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/config": {
    name: "showConfig",
    summary: "The running configuration, without secrets",
    conditional: true,
    success: { description: "The configuration", schema: document },
    run: ({ request }, { config }) => configResponse(request, config, "config", () => config.document()),
  },
  "PUT /v1/config": {
    name: "replaceConfig",
    summary: "Replace the whole configuration",
    conditional: true,
    query: CHANGE_QUERY,
    body,
    success: { description: "Every worker uses it", schema: z.object(changed) },
    failures: ["guard-lost", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const edit = { kind: "replace", bytes: bytesOf(call) } as const;
      return changeResponse(await changeBy(call, parts, edit, "the configuration"), {});
    },
  },
  "POST /v1/config/check": {
    name: "checkConfig",
    summary: "Check a configuration without applying it",
    access: "read",
    body,
    success: {
      description: "The effects; `ok` is false if there are problems",
      schema: checked,
    },
    async run(call, { config }) {
      const { ok, problems, warnings, difference, restart } = requireCheck(
        await config.check(bytesOf(call), callerOf(call).by),
      );
      const diagnostics = { problems: problems.map(reportedDiagnostic), warnings: warnings.map(reportedDiagnostic) };
      return Response.json({ ok, ...diagnostics, difference, restart });
    },
  },
  "GET /v1/config/schema": {
    name: "showSchema",
    summary: "The JSON schema of the configuration",
    success: { description: "A JSON schema (draft 2020-12)", schema: anyObject.openapi("JsonSchema") },
    run: () => Response.json((published ??= publishedSchema())),
  },
  "POST /v1/config/persist": {
    name: "persistConfig",
    summary: "Write the running configuration to its file",
    conditional: true,
    query: { force: "Also overwrite changes of other programs" },
    success: {
      description: "The file is written",
      schema: z.object({ ok: z.literal(true), persisted: z.literal(true) }),
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
  },
  "POST /v1/reload": {
    name: "reloadConfig",
    summary: "Load the configuration file",
    description:
      "Changes that are in memory only are discarded; the response lists the first 1,000 of them, or 1 MiB of text.",
    query: STRICT,
    success: {
      description: "Every worker uses it",
      schema: z.object({ ...changed, discarded: z.array(patchOperation) }),
      headers: ETAG,
    },
    failures: ["invalid-configuration", "no-config-file", "change-failed"],
    async run(call, { config }) {
      const done = requireReload(await config.reload(callerOf(call).by, { strict: hasFlag(call.query, "strict") }));
      return changeResponse(done, { discarded: done.discarded });
    },
  },
});
