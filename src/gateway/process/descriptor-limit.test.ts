import { expect, test } from "bun:test";
import { loadValue } from "../config/load.ts";
import { descriptorLimit, descriptorWarning } from "./descriptor-limit.ts";

function warningAt(limit: number, upstreams: readonly object[]): string {
  const { config } = loadValue({ server: { max_connections: 1000 }, upstreams });
  if (config === undefined) throw new Error("the configuration is refused");
  return descriptorWarning(config, limit);
}

test("a process that may open too few files says so: one for each client, and one for its upstream", () => {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];
  expect([warningAt(1064, []), warningAt(2064, upstreams)]).toEqual(["", ""]);
  expect(warningAt(1063, [])).toContain("need 1064 open files, and this system allows 1063");
  expect(warningAt(2063, upstreams)).toContain("need 2064 open files");
});

test("the system's limit is read", () => {
  expect(descriptorLimit()).toBeGreaterThan(0);
});
