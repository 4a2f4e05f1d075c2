import { expect, test } from "bun:test";
import { OPERATIONS } from "./operations/operations.ts";
import { AdminRig, READ_ONLY_KEY } from "./testing/admin-rig.ts";

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: unknown;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: object };
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
}

async function describedBy(): Promise<ReadonlyMap<string, Described>> {
  await using rig = await AdminRig.start();
  const { body, headers } = await rig.call("GET", "/v1/openapi.json", { key: READ_ONLY_KEY });
  expect([headers.get("content-type"), body.openapi]).toEqual(["application/json", "3.1.0"]);
  expect((await rig.call("GET", "/v1/openapi.json")).body).toEqual(body);
  expect(Object.keys(body.components.securitySchemes)).toEqual(["apiKey", "bearer", "session"]);
  const items = Object.values(body.paths as Record<string, Record<string, Described>>);
  return new Map(items.flatMap((item) => Object.values(item)).map((one) => [one.operationId, one]));
}

const described = await describedBy();

function of(name: string): Described {
  const found = described.get(name);
  if (found === undefined) throw new Error(`${name} is not described`);
  return found;
}

function parametersOf(name: string, place: string): readonly string[] {
  return (of(name).parameters ?? []).filter((one) => one.in === place).map((one) => one.name);
}

const statusesOf = (name: string): readonly string[] => Object.keys(of(name).responses);

const typesOf = (name: string): readonly string[] => Object.keys(of(name).responses["200"]?.content ?? {});

test("every operation is described, and the description itself", () => {
  expect([...described.keys()].toSorted()).toEqual([...OPERATIONS.map(({ name }) => name), "describe"].toSorted());
});

test("the summary of an operation is not that of another one, except of two ways to delete a route", () => {
  const shared = [...Map.groupBy(described.values(), ({ summary }) => summary).values()].filter(
    (all) => all.length > 1,
  );
  const names = shared.map((all) => all.map(({ operationId }) => operationId).toSorted());
  expect(names).toEqual([["deleteRoute", "deleteRouteByQuery"]]);
});

test("an operation that creates something ends with 201, and every other one with 200", () => {
  const created = [...described.values()].filter(({ responses }) => "201" in responses);
  expect(created.map(({ operationId }) => operationId)).toEqual(["addRoute", "issueKey", "addUpstream", "issueCredit"]);
  for (const { operationId, responses } of described.values())
    expect([operationId, "200" in responses]).toEqual([operationId, !("201" in responses)]);
});

test("only the login needs no key, and every operation of the full key can be forbidden", () => {
  for (const { name, access } of OPERATIONS) {
    expect([name, of(name).security]).toEqual([
      name,
      access === "anyone" ? [] : [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    ]);
    const hasForbidden = /Forbidden/.test(JSON.stringify(of(name).responses["403"] ?? {}));
    if (access === "full") expect([name, hasForbidden]).toEqual([name, true]);
  }
  expect(JSON.stringify(of("listRoutes").responses["403"])).not.toContain("Forbidden");
});

test("parameters, bodies and errors are those of the operation", () => {
  expect(parametersOf("patchRoute", "path")).toEqual(["prefix"]);
  expect(parametersOf("patchRoute", "query")).toEqual(["host", "name", "strict", "force"]);
  expect(parametersOf("patchRoute", "header")).toEqual(["If-Match", "If-None-Match"]);
  expect(of("patchRoute").parameters?.map(({ required }) => required === true)).toEqual([
    true,
    ...Array(6).fill(false),
  ]);
  expect(of("patchRoute").requestBody).toMatchObject({ required: true });
  expect(Object.keys(of("patchRoute").requestBody?.content ?? {})).toEqual([
    "application/merge-patch+json",
    "application/json",
  ]);
  expect(statusesOf("patchRoute")).toEqual(expect.arrayContaining(["404", "409", "412", "413", "415"]));
  expect(of("patchRoute").description).toStartWith("`null` removes a key.");
  expect(of("listJobs").parameters ?? []).toEqual([]);
  expect([of("listJobs").requestBody, of("listJobs").description]).toEqual([undefined, undefined]);
  expect(of("listJobs").responses["200"]).not.toHaveProperty("headers");
  for (const status of ["304", "412", "413", "415"]) expect(statusesOf("listJobs")).not.toContain(status);
  expect(statusesOf("listJobs")).toEqual(expect.arrayContaining(["400", "401", "414", "429", "431", "500", "503"]));
});

test("a conditional operation has an ETag, and a conditional GET can end with 304", () => {
  for (const { name, conditional, method, success } of OPERATIONS) {
    expect([name, statusesOf(name).includes("304")]).toEqual([name, conditional === true && method === "get"]);
    const { headers = {} } = of(name).responses[String(success.status ?? 200)] ?? {};
    expect([name, Object.keys(headers)]).toEqual([
      name,
      [...new Set([...(conditional === true ? ["ETag"] : []), ...Object.keys(success.headers ?? {})])],
    ]);
  }
});

test("responses in other media types are described beside JSON", () => {
  expect(typesOf("showUsage")).toEqual(["application/json", "text/csv"]);
  expect(typesOf("showMetrics")).toEqual(["text/plain"]);
  expect(typesOf("listJobs")).toEqual(["application/json"]);
  for (const { operationId, responses } of described.values()) {
    const refused = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    for (const [, { content }] of refused)
      expect([operationId, Object.keys(content ?? {})]).toEqual([operationId, ["application/problem+json"]]);
  }
});
