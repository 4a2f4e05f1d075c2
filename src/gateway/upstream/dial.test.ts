import { expect, test } from "bun:test";
import { PrivateAddressError, resolveEndpoint } from "./dial.ts";

for (const address of ["127.0.0.1", "10.0.0.1", "localhost", "::1", "169.254.169.254", "::ffff:10.0.0.1"]) {
  test(`${address} is refused where private addresses are not allowed`, async () => {
    expect(resolveEndpoint({ address, port: 80 }, false)).rejects.toThrow(PrivateAddressError);
    expect(await resolveEndpoint({ address, port: 80 }, true)).toEqual({ address, port: 80 });
  });
}

test("a public address is connected to as it was checked, and a Unix socket always", async () => {
  expect(await resolveEndpoint({ address: "8.8.8.8", port: 80 }, false)).toEqual({ address: "8.8.8.8", port: 80 });
  expect(await resolveEndpoint({ unix: "/run/a.sock" }, false)).toEqual({ unix: "/run/a.sock" });
});
