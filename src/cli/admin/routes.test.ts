import { expect, setDefaultTimeout, test } from "bun:test";
import { AdminRig, FULL_KEY, OWNER } from "../../gateway/admin/testing/admin-rig.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// A command starts slowly on a busy machine.
setDefaultTimeout(patient(60_000));

test("the list says which prices are only the most that a request costs", async () => {
  const terms = { price: "$0.5", asset: "USDC", network: "base-sepolia", pay_to: OWNER };
  const upstreams = [{ name: "api", servers: [{ address: "127.0.0.1", port: 9 }] }];
  const routes = [
    { path_prefix: "/fixed", upstream: "api", x402: terms },
    { path_prefix: "/metered", upstream: "api", x402: { ...terms, scheme: "upto", accepts: [terms] } },
  ];
  await using rig = await AdminRig.start({ x402: { enabled: true, test_mode: true }, upstreams, routes });
  const child = Bun.spawn([...COMMAND, "routes", "--admin", rig.server.url ?? ""], {
    stdin: "ignore",
    stdout: "pipe",
    env: { ...process.env, TURNPIKE_ADMIN_KEY: FULL_KEY },
  });
  const rows = (await new Response(child.stdout).text()).trimEnd().split("\n").slice(1);
  expect(rows.map((row) => row.split("\t")[5])).toEqual(["$0.5", "up to $0.5"]);
});
