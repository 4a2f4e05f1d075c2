import { expect, test } from "bun:test";
import { type Config } from "../../gateway/config/config.ts";
import { loadValue } from "../../gateway/config/load.ts";
import { type BoundListener } from "../../gateway/process/listeners/listener-plan.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";

function config(value: object): Config {
  const { config: loaded, problems } = loadValue(value);
  if (loaded === undefined) throw new Error(JSON.stringify(problems));
  return loaded;
}

const HERE: BoundListener = { address: "127.0.0.1", port: 8080, scheme: "http" };

test("a gateway on loopback has only the names of loopback", () => {
  expect(mcpEndpoint(config({}), [HERE])).toEqual({ gatewayUrl: "http://127.0.0.1:8080", hosts: ["127.0.0.1"] });
});

test("plain HTTP/1.1 is preferred to TLS, and listeners of other protocols are skipped", () => {
  const tls = { cert_path: "/c.pem", key_path: "/k.pem" };
  const listeners = [
    { address: "127.0.0.1", port: 1, proxy_protocol: true },
    { address: "127.0.0.1", port: 2, h2c_only: true },
    { address: "127.0.0.1", port: 3, use_tls: true },
    { address: "127.0.0.1", port: 4 },
  ];
  const bound = listeners.map(({ address, port, use_tls: useTls = false }): BoundListener => {
    return { address, port, scheme: useTls ? "https" : "http" };
  });
  const url = (count: number) => mcpEndpoint(config({ tls, server: { listeners: listeners.slice(0, count) } }), bound);
  expect([4, 3, 2].map((count) => url(count)?.gatewayUrl)).toEqual([
    "http://127.0.0.1:4",
    "https://127.0.0.1:3",
    undefined,
  ]);
});

test("a gateway that other machines reach has the names in its configuration, or any name", () => {
  const open: BoundListener = { address: "0.0.0.0", port: 80, scheme: "http" };
  const server = { address: "0.0.0.0" };
  expect(mcpEndpoint(config({ server }), [open])).toEqual({
    gatewayUrl: "http://127.0.0.1:80",
    hosts: ["0.0.0.0", "*"],
  });
  const named = { x402: { public_url: "https://api.example.com/v1" }, server };
  expect(mcpEndpoint(config(named), [open])?.hosts).toEqual(["api.example.com", "0.0.0.0"]);
  const checked = { server: { ...server, allowed_hosts: ["a.example", "*.b.example"] } };
  expect(mcpEndpoint(config(checked), [open])?.hosts).toEqual(["a.example", "0.0.0.0", "*"]);
});
