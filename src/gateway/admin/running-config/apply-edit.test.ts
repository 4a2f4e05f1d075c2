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
