import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { isOwnAddress } from "./own-address.ts";
import { canMakeNetwork, runInOwnNetwork } from "../testing/own-network.ts";

test("the addresses of all interfaces are this machine's", () => {
  const listed = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  expect(listed.map(({ address }) => address).filter((address) => !isOwnAddress(address))).toEqual([]);
});

test.skipIf(!canMakeNetwork)("public addresses are distinguished from own ones as the interfaces change", () => {
  const program = new URL("../testing/own-addresses-program.ts", import.meta.url);
  expect(runInOwnNetwork(program)).toEqual({
    before: { own: ["127.0.0.5", "::1"], remote: ["9.9.9.77", "2a00::7", "8.7.1.1", "9.9.9.78", "2a00::8"] },
    after: {
      own: ["9.9.9.77", "::ffff:9.9.9.77", "2a00::7", "8.7.1.1", "127.0.0.5", "::1"],
      remote: ["9.9.9.78", "2a00::8"],
    },
    given: ["2a00::7", "8.7.1.1", "127.0.0.5", "::1"],
  });
});
