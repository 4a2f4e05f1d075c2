import { expect, test } from "bun:test";
import { movedDocument } from "./write-document.ts";

test.each([
  [{ $schema: "./a.json", routes: [] }, "/etc/new", { $schema: "/etc/old/a.json", routes: [] }],
  [{ $schema: "../a.json" }, "/etc/new", { $schema: "/etc/a.json" }],
  [{ $schema: "./a.json" }, "/etc/old", { $schema: "./a.json" }],
  [{ $schema: "https://a.test/b.json" }, "/etc/new", { $schema: "https://a.test/b.json" }],
  [{ $schema: "/a.json" }, "/etc/new", { $schema: "/a.json" }],
  [{ $schema: 1 }, "/etc/new", { $schema: 1 }],
  [{}, "/etc/new", {}],
  ["text", "/etc/new", "text"],
  [null, "/etc/new", null],
])("%j leads to the same schema in %s", (document, folder, moved) => {
  expect(movedDocument(document, "/etc/old/turnpike.json", `${folder}/turnpike.json`)).toEqual(moved);
});
