import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostsFileAddresses } from "./hosts-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-hosts-"));
const path = join(folder, "hosts");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(
  path,
  `127.0.0.1\tlocalhost
10.0.0.1 app.test APP2.test # 10.0.0.9 comment.test
  10.0.0.2   app.test
10.0.0.1 app.test
fd00::1 app.test
#10.0.0.3 app.test
nonsense app.test
10.0.0.4
`,
);

test.each<[string, readonly string[]]>([
  ["app.test", ["10.0.0.1", "10.0.0.2", "fd00::1"]],
  ["App.Test.", ["10.0.0.1", "10.0.0.2", "fd00::1"]],
  ["app2.test", ["10.0.0.1"]],
  ["comment.test", []],
  ["other.test", []],
])("the hosts file has for %s %j", (name, addresses) => {
  expect(hostsFileAddresses(name, path)).toEqual(addresses);
});

test("the file is read again each time, and a missing file has no names", () => {
  writeFileSync(path, "10.0.0.7 app.test\n");
  expect(hostsFileAddresses("app.test", path)).toEqual(["10.0.0.7"]);
  expect(hostsFileAddresses("app.test", join(folder, "none"))).toEqual([]);
});
