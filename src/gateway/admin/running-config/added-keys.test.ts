import { expect, test } from "bun:test";
import { withAddedKeys } from "./added-keys.ts";

const A = { name: "a", servers: [{ address: "127.0.0.1", port: 1 }] };
const NOTED = { ...A, "x-note": 1 };

const CASES: readonly (readonly [what: string, document: unknown, theirs: unknown, saved: unknown, merged: unknown])[] =
  [
    ["a key is added", { tls: {} }, { "x-note": 1 }, {}, { tls: {}, "x-note": 1 }],
    ["a key of the schema is not", {}, { tls: { hosts: [] }, server: { port: 1 } }, {}, {}],
    ["a key that was deleted here is not", {}, { "x-note": 1 }, { "x-note": 1 }, {}],
    ["a key that changed on both sides is ours", { "x-note": 1 }, { "x-note": 2 }, { "x-note": 0 }, { "x-note": 1 }],
    [
      "a key in a section",
      { server: { port: 1 } },
      { server: { "x-note": 1 } },
      {},
      { server: { port: 1, "x-note": 1 } },
    ],
    [
      "a deleted key in a section",
      { server: {} },
      { server: { "x-note": 1 } },
      { server: { "x-note": 2 } },
      { server: {} },
    ],
    ["a section that is not an object there", { server: {} }, { server: "x-note" }, {}, { server: {} }],
    ["a section that is not an object here", { server: null }, { server: { "x-note": 1 } }, {}, { server: null }],
    ["an item", { upstreams: [A] }, { upstreams: [NOTED] }, { upstreams: [A] }, { upstreams: [NOTED] }],
    [
      "an item of a list that is new on both sides",
      { upstreams: [A] },
      { upstreams: [NOTED] },
      {},
      { upstreams: [NOTED] },
    ],
    [
      "a list that was an object",
      { upstreams: [A] },
      { upstreams: [NOTED] },
      { upstreams: {} },
      { upstreams: [NOTED] },
    ],
    ["a list that is an object there", { upstreams: [A] }, { upstreams: { "x-note": 1 } }, {}, { upstreams: [A] }],
    ["a list that is an object here", { upstreams: { a: A } }, { upstreams: [NOTED] }, {}, { upstreams: { a: A } }],
    [
      "items match by their names",
      { upstreams: [{ name: "new" }, A] },
      { upstreams: [NOTED, { name: "theirs" }] },
      { upstreams: [{ name: "old" }, A] },
      { upstreams: [{ name: "new" }, NOTED] },
    ],
    [
      "a key that was deleted here from an item that moved",
      { upstreams: [{ name: "b" }, A] },
      { upstreams: [NOTED, { name: "b", "x-note": 2 }] },
      { upstreams: [NOTED, { name: "b" }] },
      { upstreams: [{ name: "b", "x-note": 2 }, A] },
    ],
    ["items without names here", { upstreams: [{}] }, { upstreams: [NOTED] }, {}, { upstreams: [{}] }],
    ["items without names there", { upstreams: [A] }, { upstreams: [NOTED, {}] }, {}, { upstreams: [A] }],
  ];

for (const [what, document, theirs, saved, merged] of CASES) {
  test(`unknown keys that another program added to a file are kept: ${what}`, () => {
    const before = structuredClone(document);
    expect(withAddedKeys(document, theirs, saved)).toEqual(merged);
    expect(document).toEqual(before);
  });
}
