import { expect, test } from "bun:test";
import { OTHER_CONSUMERS, useKey, withinRoom } from "./usage-store.ts";

interface Use {
  readonly consumer?: string;
  readonly route?: string;
  readonly upstream?: string;
}

test.each<[what: string, uses: readonly Use[], kept: readonly Use[]]>([
  [
    "consumers of a route are counted together",
    [
      { consumer: "a", route: "/r" },
      { consumer: "b", route: "/r" },
      { consumer: "a", route: "/r" },
    ],
    [
      { consumer: "a", route: "/r" },
      { consumer: OTHER_CONSUMERS, route: "/r" },
      { consumer: "a", route: "/r" },
    ],
  ],
  [
    "consumers without a route lose their name",
    [
      { consumer: "a", route: "" },
      { consumer: "b", route: "" },
    ],
    [
      { consumer: "a", route: "" },
      { consumer: "", route: "" },
    ],
  ],
  ["upstreams lose their name", [{ upstream: "a" }, { upstream: "b" }], [{ upstream: "a" }, { upstream: "" }]],
  ["routes keep their name", [{ route: "/a" }, { route: "/b" }], [{ route: "/a" }, { route: "/b" }]],
])("beyond the rows of a table, %s", (_what, uses, kept) => {
  expect(withinRoom(uses, new Set(), 1)).toStrictEqual([...kept]);
});

test("beyond the rows for routes of further consumers, routes lose their name, unless they have a row", () => {
  const routes = Array.from({ length: 1025 }, (_, n) => ({ consumer: "b", route: `/${n}` }));
  const known = new Set([useKey({ consumer: OTHER_CONSUMERS, route: "/known" })]);
  const others = routes.slice(0, 1024).map(({ route }) => ({ consumer: OTHER_CONSUMERS, route }));
  expect(withinRoom([...routes, { consumer: "c", route: "/known" }], known, 1)).toEqual([
    ...others,
    { consumer: "", route: "" },
    { consumer: OTHER_CONSUMERS, route: "/known" },
  ]);
});
