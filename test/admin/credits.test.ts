import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { COMMAND } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const OWNER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const TERMS = { asset: "USDC", network: "base-sepolia", pay_to: OWNER };
const config = {
  x402: { enabled: true, test_mode: true, credit: TERMS },
  routes: [{ path_prefix: "/read", fixed_response: {}, x402: { ...TERMS, price: "$0.01" } }],
};

for (const workers of [1, 2]) {
  test(`an operator issues, lists, shows and revokes credits of ${workers} workers`, async () => {
    const admin = await Admin.start({ workers, config });
    try {
      const issued = await admin.call("POST", "/v1/credits", {
        body: { owner: OWNER, network: "base-sepolia", amount: "$5", seconds: 60, routes: ["/read"] },
      });
      expect(issued.status).toBe(201);
      const { token, credit } = issued.body;
      expect(token).toMatch(new RegExp(`^tpc_${credit.id}_[\\w-]{43}$`));
      expect(credit).toMatchObject({
        owner: OWNER.toLowerCase(),
        unit: "money",
        network: "eip155:84532",
        symbol: "USDC",
        decimals: 6,
        balance: "5000000",
        state: "active",
        routes: ["/read"],
      });
      const pass = await admin.call("POST", "/v1/credits", { body: { owner: OWNER, calls: 10, name: "ten" } });
      expect(pass.body.credit).toMatchObject({ unit: "calls", balance: "10", name: "ten", expires_ms: 0 });
      const time = await admin.call("POST", "/v1/credits", { body: { owner: OWNER, seconds: 1 } });
      expect(time.body.credit).toMatchObject({ unit: "time", balance: "0" });
      const list = await admin.call("GET", `/v1/credits?owner=${OWNER}`, { key: READ_KEY });
      expect(list.body.more).toBe(false);
      expect(list.body.credits).toHaveLength(3);
      const { id: last } = list.body.credits[1];
      expect((await admin.call("GET", `/v1/credits?before=${last}`)).body.credits).toHaveLength(1);
      const shown = await admin.call("GET", `/v1/credits/${credit.id}`, { key: READ_KEY });
      expect(shown.body).toMatchObject({ credit, grants: [{ kind: "issued", amount: "5000000" }], charges: [] });
      expect(shown.text).not.toContain(token);
      expect((await admin.call("DELETE", `/v1/credits/${credit.id}`, { key: READ_KEY })).status).toBe(403);
      const revoked = await admin.call("DELETE", `/v1/credits/${credit.id}`);
      expect(revoked.body).toMatchObject({ state: "revoked", balance: "5000000" });
      expect((await admin.call("DELETE", `/v1/credits/${credit.id}`)).body).toEqual(revoked.body);
      expect((await admin.call("GET", "/v1/credits/none")).status).toBe(404);
      const refund = (body: object) => admin.call("POST", `/v1/credits/${credit.id}/refunds`, { body });
      expect((await refund({ transaction: "0xtx", amount: "$6" })).status).toBe(409);
      for (let i = 0; i < 2; i++) {
        expect((await refund({ transaction: "0xtx", amount: "$2" })).body).toMatchObject({
          credit: { balance: "3000000" },
          refunds: [],
        });
      }
      for (let i = 0; i < 100; i++) await refund({ transaction: `0x${i}`, amount: "1" });
      const repeated = await refund({ transaction: "0xtx", amount: "$2" });
      expect([repeated.status, repeated.body.credit.balance]).toEqual([200, "2999900"]);
      expect((await refund({ transaction: "0xrest" })).body).toMatchObject({ credit: { balance: "0" } });
      expect((await refund({ transaction: "0xmore" })).status).toBe(409);
      for (const body of [{ amount: "-1" }, { id: "a b" }, { other: 1 }]) expect((await refund(body)).status).toBe(400);
      const unsent = await refund({});
      expect([unsent.status, unsent.body.detail]).toEqual([409, expect.stringContaining("issued credit")]);
    } finally {
      await admin.stop();
    }
  });
}

test("an operator learns what is wrong with a credit", async () => {
  const admin = await Admin.start({ config });
  const paths = async (body: object): Promise<unknown> => {
    const { status, body: problem } = await admin.call("POST", "/v1/credits", { body });
    return [status, ...problem.errors.map(({ path }: { path: string }) => path)];
  };
  try {
    expect(await paths({})).toEqual([400, "owner"]);
    expect(await paths({ owner: OWNER })).toEqual([400, "amount"]);
    for (const amount of ["0", "-5", "$0.0000001", "1e6", `1${"0".repeat(30)}`]) {
      expect(await paths({ owner: OWNER, amount })).toEqual([400, "amount"]);
    }
    expect(await paths({ owner: OWNER, amount: "5", calls: 5 })).toEqual([400, "calls"]);
    expect(await paths({ owner: OWNER, amount: "5", network: "mars" })).toEqual([400, "network"]);
    expect(await paths({ owner: OWNER, amount: "5", asset: "EUR" })).toEqual([400, "asset"]);
    expect(await paths({ owner: OWNER, calls: 5, routes: ["/read", "/raed"] })).toEqual([400, "routes.1"]);
  } finally {
    await admin.stop();
  }
});

test("without x402.credit there are no credits", async () => {
  const admin = await Admin.start();
  try {
    expect((await admin.call("GET", "/v1/credits")).status).toBe(404);
  } finally {
    await admin.stop();
  }
});

test("turnpike credit issues, lists, shows, refunds and revokes credits", async () => {
  const admin = await Admin.start({ config });
  const run = async (...args: string[]): Promise<{ out: string; err: string; code: number }> => {
    const key = admin.folder.write("key", KEY);
    const child = Bun.spawn([...COMMAND, "credit", ...args, "--admin", admin.url, "--admin-key-file", key], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { out, err, code };
  };
  try {
    const issued = await run("issue", OWNER, "--amount", "$5", "--route", "/read");
    expect([issued.code, issued.err]).toEqual([0, ""]);
    expect(issued.out).toMatch(/^tpc_test[0-9a-f]{20}_[\w-]{43}\n$/);
    const [, id = ""] = issued.out.split("_");
    expect((await run("issue", OWNER, "--calls", "7", "--name", "seven")).code).toBe(0);
    expect((await run("list", "--owner", OWNER)).out).toMatch(/7 requests.*seven[^]*5\.00 USDC/);
    expect((await run("show", id)).out).toContain('"kind": "issued"');
    expect((await run("refund", id, "--recorded", "0xtx", "--amount", "$2")).out).toBe(
      "recorded; 3.00 USDC are left\n",
    );
    expect(await run("refund", id)).toMatchObject({ code: 1, err: expect.stringContaining("issued credit") });
    expect((await run("revoke", id)).out).toBe(`revoked ${id}; 3.00 USDC are left\n`);
    expect((await run("list")).out).toContain("revoked");
    expect(await run("issue", OWNER, "--calls", "-1")).toMatchObject({ code: 2, out: "" });
    expect(await run("show", "none")).toMatchObject({ code: 1, out: "" });
  } finally {
    await admin.stop();
  }
});
