import { Validator } from "@seriousme/openapi-schema-validator";
import createClient from "openapi-fetch";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";

setDefaultTimeout(patient(60_000));

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

let admin: Admin;
let document: Readonly<Record<string, unknown>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};

beforeAll(async () => {
  const servers = [{ address: "127.0.0.1", port: 9 }];
  admin = await Admin.start({ config: { upstreams: [{ name: "o", servers }], routes: [] } });
  document = (await admin.call("GET", "/v1/openapi.json")).body;
});
afterAll(() => admin.stop());

test("is a valid document of OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document);
  expect([valid, errors, validator.version]).toEqual([true, undefined, "3.1"]);
});

test("every operation has a unique name, and every part of a path is described", () => {
  const names = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(names).size).toBe(names.length);
  for (const [path, item] of Object.entries(document.paths)) {
    const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    for (const { parameters = [] } of Object.values(item)) {
      const described = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect([path, described]).toEqual([path, parts]);
    }
  }
});

type Given = Readonly<Record<string, string>>;
interface Outcome {
  readonly response: Response;
  readonly data?: unknown;
  readonly error?: unknown;
}

/** A client with one function for each operation of the document, and with the document's arguments. */
function clientOf(key: string): (name: string, given?: Given, body?: unknown) => Promise<Outcome> {
  const client = createClient<never>({ baseUrl: admin.url, headers: { "X-API-Key": key } });
  return (name, given = {}, body) => {
    for (const [path, item] of Object.entries(document.paths)) {
      const found = Object.entries(item).find(([, { operationId }]) => operationId === name);
      if (found === undefined) continue;
      const [method, { parameters = [], requestBody }] = found;
      const params: Record<string, Record<string, string>> = {};
      for (const [argument, value] of Object.entries(given)) {
        const place = parameters.find((parameter) => parameter.name === argument)?.in;
        if (place === undefined) throw new Error(`Not described: ${name} takes no ${argument}`);
        (params[place] ??= {})[argument] = value;
      }
      const [type = ""] = Object.keys(requestBody?.content ?? {});
      const init = { params, ...(body === undefined ? {} : { body, headers: { "Content-Type": type } }) };
      // Paths and arguments come from the document at run time, so the types do not know them.
      return (client as unknown as { request: (...args: unknown[]) => Promise<Outcome> }).request(method, path, init);
    }
    throw new Error(`Not described: there is no operation ${name}`);
  };
}

test("a client that is generated from the document changes a gateway", async () => {
  const call = clientOf(KEY);
  const listed = await call("listRoutes");
  const etag = listed.response.headers.get("etag") ?? "";
  const route = { path_prefix: "/by/client", upstream: "o" };
  const added = await call("addRoute", { "If-Match": etag }, route);
  expect([added.response.status, added.data]).toEqual([201, { ok: true, created: "/by/client" }]);
  expect((await call("addRoute", { "If-Match": etag }, route)).response.status).toBe(412);
  const patched = await call("patchRoute", { prefix: "/by/client" }, { path_prefix: "/by/other-client" });
  expect(patched.data).toEqual({ ok: true, changed: "/by/other-client" });
  expect((await call("listRoutes")).data).toMatchObject({
    routes: [{ path_prefix: "/by/other-client", auth: "none" }],
  });
  expect((await call("drainServer", { name: "o", server: "127.0.0.1:9" })).data).toEqual({ ok: true, drained: true });
  expect((await call("deleteUpstream", { name: "o" })).data).toMatchObject({ waiting: ["/by/other-client"] });
  expect((await call("listUpstreams")).data).toMatchObject({
    upstreams: [{ name: "o", waiting: ["/by/other-client"] }],
  });
  expect((await call("deleteRouteByQuery", { prefix: "/by/other-client" })).data).toMatchObject({ ok: true });
  expect((await call("deleteUpstream", { name: "o" })).error).toMatchObject({ status: 404 });
  expect((await call("showStatus")).data).toMatchObject({
    routes: 0,
    upstreams: 0,
    config: { changed_in_memory: true },
  });
  expect((await call("persistConfig", { force: "true" })).data).toEqual({ ok: true, persisted: true });
  expect(admin.saved()).toMatchObject({ routes: [], upstreams: [], admin: { api_key: KEY } });
  expect((await call("checkConfig", {}, { routes: [{}] })).data).toMatchObject({ ok: false });
  expect((await clientOf(READ_KEY)("reloadConfig")).error).toMatchObject({ code: "forbidden" });
});
