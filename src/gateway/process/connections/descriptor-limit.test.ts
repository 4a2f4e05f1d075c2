import { expect, test } from "bun:test";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { clientRoom, descriptorLimit, descriptorWarning, fileRoom, lingeringRoom } from "./descriptor-limit.ts";

const UPSTREAMS = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];

function configOf(upstreams: readonly object[]): Config {
  const { config } = loadValue({ server: { max_connections: 1000 }, upstreams });
  if (config === undefined) throw new Error("the configuration is refused");
  return config;
}

test("clients get the descriptors that upstreams, refused connections and the process do not need, or half of the rest", () => {
  expect([lingeringRoom(128), lingeringRoom(1024), lingeringRoom(65_536)]).toEqual([16, 128, 256]);
  expect([clientRoom(configOf([]), 128), clientRoom(configOf(UPSTREAMS), 128)]).toEqual([48, 24]);
  // The one server gets 64 connections at most, and HTTP/2 clients may each open many requests.
  expect(clientRoom(configOf(UPSTREAMS), 1024)).toBe(1024 - 64 - 128 - 64);
  const found = [{ name: "a", servers: [], dns_discovery: { hostname: "a.test", port: 1 } }];
  expect([clientRoom(configOf(found), 1024), clientRoom(configOf(found), Number.POSITIVE_INFINITY)]).toEqual([
    (1024 - 64 - 128) / 2,
    Number.POSITIVE_INFINITY,
  ]);
  expect([clientRoom(configOf(UPSTREAMS), 16), clientRoom(configOf([]), Number.POSITIVE_INFINITY)]).toEqual([
    1,
    Number.POSITIVE_INFINITY,
  ]);
});

test("served files have a part of the descriptors, which clients cannot use", () => {
  const { config } = loadValue({ server: { static_root: "/srv" } });
  if (config === undefined) throw new Error("the configuration is refused");
  expect([fileRoom(128), fileRoom(1024), fileRoom(65_536)]).toEqual([16, 128, 1024]);
  expect(clientRoom(config, 1024)).toBe(1024 - 64 - 128 - 128);
});

test("a process that may open too few files warns how many clients it accepts", () => {
  const warnings = [
    descriptorWarning(configOf([]), 1320),
    descriptorWarning(configOf(UPSTREAMS), 1384),
    descriptorWarning(configOf([]), Number.POSITIVE_INFINITY),
  ];
  expect(warnings).toEqual(["", "", ""]);
  expect(descriptorWarning(configOf(UPSTREAMS), 1024)).toBe(
    "warning: server.max_connections is 1000, but this system allows a process only 1024 open files: " +
      "each worker accepts 768 clients and refuses others. Raise the hard limit: " +
      "ulimit -n in a shell, LimitNOFILE in a systemd unit, --ulimit nofile for a container",
  );
  expect(descriptorWarning(configOf(UPSTREAMS), 64)).toContain("each worker accepts 1 client and refuses others");
});

test("the limit of the system is read", () => {
  expect(descriptorLimit()).toBeGreaterThan(0);
});
