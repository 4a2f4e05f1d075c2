import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { commandName } from "./one-file.ts";

const ROOT = join(import.meta.dir, "../../..");

test("npx is suggested only in the package's own folder: elsewhere it could fetch a package of this name", () => {
  expect(commandName(ROOT)).toBe("npx turnpike");
  for (const other of ["/", "/tmp", join(ROOT, "client"), join(ROOT, "docs")]) {
    expect(commandName(other)).toBe(join(ROOT, "bin/turnpike"));
  }
});

test("no text for people outside of a checkout names a package that this project has not registered", () => {
  const texts = [...new Glob("src/**/*.{ts,tsx}").scanSync(ROOT)].filter((path) => !path.endsWith(".test.ts"));
  const documents = ["README.md", "client/README.md", ...new Glob("docs/**/*.md").scanSync(ROOT)];
  const found = [
    ...texts.filter((path) => /\bnpx |npm (?:i|install) turnpike|"turnpike\/client"|turnpike-client/.test(read(path))),
    ...documents.filter((path) => /"command": "npx"|npm (?:i|install)(?: -\S+)* turnpike/.test(read(path))),
  ];
  expect(found).toEqual(["src/lib/files/one-file.ts"]);
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
