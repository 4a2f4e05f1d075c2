import { expect, test } from "bun:test";
import { readCatalogResponse } from "./catalog-response.ts";

const CASES: readonly { what: string; entry: unknown; server?: object }[] = [
  {
    what: "a service's own address",
    entry: { Node: { Address: "10.0.0.9" }, Service: { Address: "10.0.0.1", Port: 80, Weights: { Passing: 5 } } },
    server: { endpoint: { address: "10.0.0.1", port: 80 }, weight: 5 },
  },
  {
    what: "the node's address and no address of the service",
    entry: { Node: { Address: "fd00::1" }, Service: { Address: "", Port: 80 } },
    server: { endpoint: { address: "fd00::1", port: 80 }, weight: 1 },
  },
  {
    what: "a host name",
    entry: { Service: { Address: "db_1.example.test", Port: 80, Weights: { Passing: 0 } } },
    server: { endpoint: { address: "db_1.example.test", port: 80 }, weight: 1 },
  },
  {
    what: "a weight that is not whole",
    entry: { Service: { Address: "10.0.0.1", Port: 80, Weights: { Passing: 2.5 } } },
    server: { endpoint: { address: "10.0.0.1", port: 80 }, weight: 1 },
  },
  {
    what: "a weight of another type",
    entry: { Service: { Address: "10.0.0.1", Port: 80, Weights: { Passing: "5" } } },
    server: { endpoint: { address: "10.0.0.1", port: 80 }, weight: 1 },
  },
  {
    what: "the last port",
    entry: { Service: { Address: "10.0.0.1", Port: 65_535 } },
    server: { endpoint: { address: "10.0.0.1", port: 65_535 }, weight: 1 },
  },
  { what: "a port that is not whole", entry: { Service: { Address: "10.0.0.1", Port: 80.5 } } },
  { what: "a port of another type", entry: { Service: { Address: "10.0.0.1", Port: "80" } } },
  { what: "no port", entry: { Service: { Address: "10.0.0.1", Port: 0 } } },
  { what: "an invalid port", entry: { Service: { Address: "10.0.0.1", Port: 65_536 } } },
  { what: "no address at all", entry: { Node: {}, Service: { Port: 80 } } },
  { what: "an invalid address", entry: { Service: { Address: "a b\r\n", Port: 80 } } },
  { what: "an address of another type", entry: { Service: { Address: 7, Port: 80 } } },
  { what: "no service", entry: { Node: { Address: "10.0.0.1" } } },
  { what: "null", entry: null },
  { what: "a text", entry: "10.0.0.1:80" },
];

for (const { what, entry, server } of CASES) {
  test(`an entry with ${what} is ${server === undefined ? "left out and counted" : "a server"}`, () => {
    expect(readCatalogResponse(Buffer.from(JSON.stringify([entry])))).toEqual({
      // The case defines the server.
      found: server === undefined ? [] : [server as never],
      unusable: server === undefined ? 1 : 0,
    });
  });
}

for (const body of ["", "{", "null", "{}", '"a"', "[1"]) {
  test(`${JSON.stringify(body)} is not a valid response`, () => {
    expect(readCatalogResponse(Buffer.from(body))).toBeUndefined();
  });
}
