import { createHash, randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { JSON_TYPE, MAX_BODY_BYTES } from "../http/body.ts";
import { keysOf, methodsOf } from "../running-config/route-keys.ts";
import { changed, listedKeys } from "../shapes/common.ts";
import { CHANGE_QUERY, changeBy, changeResponse } from "./change.ts";
import { configResponse } from "./config-response.ts";
import { type Operation, operationTable } from "./operation.ts";
import { PREFIX, SELECTION, selectionOf, shownRoute } from "./routes.ts";

/** Random bytes of an issued key. */
const KEY_BYTES = 32;

const newKey = z.strictObject({ name: z.string().min(1).describe("Its owner, the consumer") }).openapi("NewKey");

/** The operations on the API keys of routes. Keys are parts of the configuration, and stored as their hashes. */
export const KEY_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/keys": {
    name: "listKeys",
    summary: "The API keys of all routes, without the keys themselves",
    conditional: true,
    success: { description: "The routes that accept API keys", schema: listedKeys },
    run: ({ request }, { config }) =>
      configResponse(request, config, "keys", async () => ({
        routes: config.config.routes
          .filter(({ auth }) => methodsOf(auth).some(({ type }) => type === "api_key"))
          .map(({ path_prefix, host, name, auth }) => ({
            path_prefix,
            ...(host === undefined ? {} : { host }),
            ...(name === undefined ? {} : { name }),
            keys: keysOf(auth).map((key, at) => ({ number: at + 1, owner: String(key["name"]) })),
          })),
      })),
  },
  "POST /v1/routes/{prefix}/keys": {
    name: "issueKey",
    summary: "Issue an API key for a route",
    description: "The response has the key, which is not shown again: the configuration has only its SHA-256.",
    conditional: true,
    parameters: PREFIX,
    query: { ...SELECTION, ...CHANGE_QUERY },
    body: { types: [JSON_TYPE], maxBytes: MAX_BODY_BYTES, schema: newKey, description: "The owner" },
    success: {
      status: 201,
      description: "Every worker accepts it",
      schema: z.object({ ...changed, key: z.string(), owner: z.string() }),
    },
    failures: ["not-found", "ambiguous-route", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const parsed = newKey.safeParse(call.body);
      if (!parsed.success)
        throw new TurnpikeError("bad-request", 'Cannot issue a key: the body is not {"name": "..."}');
      const { name: owner } = parsed.data;
      const key = `tk_${randomBytes(KEY_BYTES).toString("base64url")}`;
      const hash = createHash("sha256").update(key).digest("hex");
      const prefix = call.parameters["prefix"] ?? "";
      const selected = selectionOf(call);
      const edit = { kind: "add-key", prefix, ...selected, key: { key_hash: hash, name: owner } } as const;
      const done = await changeBy(
        call,
        parts,
        edit,
        `the route ${shownRoute(prefix, selected)} with api_key in its auth (such as {"type": "api_key", "keys": []})`,
      );
      return changeResponse(done, { key, owner }, { status: 201 });
    },
  },
  "DELETE /v1/routes/{prefix}/keys/{number}": {
    name: "revokeKey",
    summary: "Revoke an API key of a route",
    conditional: true,
    parameters: { ...PREFIX, number: "The number of the key, from /v1/keys" },
    query: {
      owner: "The owner of the key, as a check of the number",
      ...SELECTION,
      ...CHANGE_QUERY,
    },
    success: { description: "No worker accepts it any more", schema: z.object(changed) },
    failures: ["not-found", "ambiguous-route", "invalid-configuration", "change-failed"],
    async run(call, parts) {
      const { prefix = "", number = "" } = call.parameters;
      const owner = call.query.get("owner");
      if (owner === null || !/^[1-9]\d{0,5}$/.test(number))
        throw new TurnpikeError("bad-request", "Cannot revoke a key: name its number and, with ?owner=, its owner");
      const selected = selectionOf(call);
      const edit = { kind: "drop-key", prefix, ...selected, number: Number(number), owner } as const;
      const thing = `the key ${number} of ${JSON.stringify(owner)} in the route ${shownRoute(prefix, selected)}`;
      return changeResponse(await changeBy(call, parts, edit, thing), {});
    },
  },
});
