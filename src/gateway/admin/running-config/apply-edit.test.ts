import { expect, test } from "bun:test";
import { applyEdit, type ItemEdit } from "./apply-edit.ts";

const ROUTES = [
  { path_prefix: "/a" },
  { path_prefix: "/a", host: "One.example" },
  { path_prefix: "/a", host: "two.example" },
  { path_prefix: "/a", host: "two.example", name: "beta" },
] as const;

function routesAfter(edit: ItemEdit): unknown {
  const edited = applyEdit({ routes: ROUTES }, edit);
  return edited.kind === "edited" ? (edited.document as { routes: unknown }).routes : edited.kind; // The routes.
}

function without(index: number): unknown {
  return ROUTES.toSpliced(index, 1);
}

function remove(more: { host?: string; name?: string }): unknown {
  return routesAfter({ kind: "delete-route", prefix: "/a", ...more });
}

function add(route: object): unknown {
  return routesAfter({ kind: "add-route", route });
}

function patch(host: string, to: object): unknown {
  return routesAfter({ kind: "patch-route", prefix: "/a", host, patch: to });
}

test("host and name choose one route of several with the same prefix, and the host is compared without case", () => {
  expect(remove({ host: "" })).toEqual(without(0));
  expect(remove({ host: "ONE.example" })).toEqual(without(1));
  expect(remove({ host: "two.example", name: "" })).toEqual(without(2));
  expect(remove({ name: "beta" })).toEqual(without(3));
  expect(remove({})).toBe("ambiguous");
  expect(remove({ host: "three.example" })).toBe("absent");
});

test("the routes that match are listed if they are several", () => {
  expect(applyEdit({ routes: ROUTES }, { kind: "delete-route", prefix: "/a" })).toEqual({
    kind: "ambiguous",
    hosts: ["", "one.example", "two.example", "two.example"],
    names: ["", "", "", "beta"],
  });
});

test("a route is a duplicate if prefix, host and name are those of another one", () => {
  expect(add({ path_prefix: "/a", host: "ONE.example" })).toBe("duplicate");
  expect(add({ path_prefix: "/a", host: "two.example", name: "beta" })).toBe("duplicate");
  for (const more of [{ host: "three.example" }, { host: "one.example", name: "beta" }, { name: "beta" }]) {
    expect(add({ path_prefix: "/a", ...more })).toEqual([...ROUTES, { path_prefix: "/a", ...more }]);
  }
  expect(patch("one.example", { host: null })).toBe("duplicate");
  expect(patch("one.example", { host: "One.Example" })).toEqual(
    ROUTES.with(1, { path_prefix: "/a", host: "One.Example" } as unknown as (typeof ROUTES)[1]), // Another letter case.
  );
});

const A = { name: "a", servers: [] };
const GONE = { name: "b", servers: [], deleted: true };
const USED = { routes: [{ path_prefix: "/", upstream: "b" }], upstreams: [A, GONE] };

const PLACES: readonly (readonly [what: string, document: unknown, edit: ItemEdit, edited: unknown])[] = [
  [
    "a first route",
    undefined,
    { kind: "add-route", route: { path_prefix: "/" } },
    { document: { routes: [{ path_prefix: "/" }] }, at: ["routes", 0], before: undefined },
  ],
  [
    "an upstream in the place of a deleted one",
    USED,
    { kind: "add-upstream", upstream: { ...A, name: "b" } },
    { document: { ...USED, upstreams: [A, { ...A, name: "b" }] }, at: ["upstreams", 1], before: undefined },
  ],
  [
    "a changed upstream",
    { upstreams: [A] },
    { kind: "patch-upstream", name: "a", patch: { name: "c", servers: null } },
    { document: { upstreams: [{ name: "c" }] }, at: ["upstreams", 0], before: ["upstreams", 0] },
  ],
  [
    "a removed upstream that no route names",
    { upstreams: [A], routes: [] },
    { kind: "delete-upstream", name: "a" },
    { document: { upstreams: [], routes: [] }, at: ["upstreams"], before: ["upstreams"] },
  ],
  [
    "a deleted upstream that a route names",
    { ...USED, upstreams: [A, { ...A, name: "b" }] },
    { kind: "delete-upstream", name: "b" },
    { document: USED, at: ["upstreams", 1], before: undefined },
  ],
  [
    "the last route that names a deleted upstream",
    USED,
    { kind: "delete-route", prefix: "/" },
    { document: { routes: [], upstreams: [A] }, at: ["routes"], before: ["routes"] },
  ],
  [
    "a route that names a deleted upstream no more",
    USED,
    { kind: "patch-route", prefix: "/", patch: { upstream: "a" } },
    {
      document: { routes: [{ path_prefix: "/", upstream: "a" }], upstreams: [A] },
      at: ["routes", 0],
      before: ["routes", 0],
    },
  ],
  [
    "a key of a route",
    { routes: [{ path_prefix: "/", auth: { type: "api_key", keys: [] } }] },
    { kind: "add-key", prefix: "/", key: { name: "k" } },
    {
      document: { routes: [{ path_prefix: "/", auth: { type: "api_key", keys: [{ name: "k" }] } }] },
      at: ["routes", 0],
      before: ["routes", 0],
    },
  ],
];

for (const [what, document, edit, edited] of PLACES) {
  test(`an edit has the place of what it changes, in the new document and in the old one: ${what}`, () => {
    expect(applyEdit(document, edit)).toEqual({ kind: "edited", ...Object(edited) });
  });
}

const ABSENT: readonly (readonly [what: string, document: unknown, edit: ItemEdit])[] = [
  ["an upstream", { upstreams: [A] }, { kind: "patch-upstream", name: "b", patch: {} }],
  ["a deleted upstream", USED, { kind: "patch-upstream", name: "b", patch: {} }],
  ["a deleted upstream that is deleted again", USED, { kind: "delete-upstream", name: "b" }],
  ["an upstream of a document without any", {}, { kind: "delete-upstream", name: "a" }],
  ["a route", USED, { kind: "add-key", prefix: "/other", key: {} }],
  ["a list of keys", USED, { kind: "add-key", prefix: "/", key: {} }],
  ["a key", USED, { kind: "drop-key", prefix: "/", number: 1, owner: "k" }],
];

for (const [what, document, edit] of ABSENT) {
  test(`an edit of what the document does not have is refused: ${what}`, () => {
    expect(applyEdit(document, edit)).toEqual({ kind: "absent" });
  });
}

test("an upstream is a duplicate by its name, and one without a name is not", () => {
  const addUpstream = (upstream: unknown): string =>
    applyEdit({ upstreams: [A, {}] }, { kind: "add-upstream", upstream }).kind;
  expect([addUpstream(A), addUpstream({ name: "c" }), addUpstream({}), addUpstream({ name: 1 })]).toEqual([
    "duplicate",
    "edited",
    "edited",
    "edited",
  ]);
  const rename = { kind: "patch-upstream", name: "a", patch: { name: "c" } } as const;
  expect(applyEdit({ upstreams: [A, { name: "c" }] }, rename).kind).toBe("duplicate");
});
