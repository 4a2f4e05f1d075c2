import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { FACILITATOR_PLACES } from "../../../payments/facilitator/facilitator-observer.ts";
import { COLUMN } from "../../telemetry/metrics/layout.ts";
import { AdminRig } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

const LAST = FACILITATOR_PLACES.length - 1;
const URL_A = "https://a.example/x402";

/** The facilitators of the status, if breakers of the first, the second and all other facilitators are open. */
async function facilitatorsOf(x402: object, prepare: (rig: AdminRig) => void = () => {}): Promise<unknown> {
  await using rig = await AdminRig.start({ x402 });
  for (const [row, place] of [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, LAST],
    [0, LAST],
    [1, LAST],
  ] as const) {
    const counters = rig.zone.counters(row);
    const column = COLUMN.facilitatorBreakersOpen + place;
    counters[column] = (counters[column] ?? 0) + 1;
  }
  prepare(rig);
  return (await rig.call("GET", "/v1/status")).body.facilitators;
}

test.each([
  [{}, []],
  [{ facilitator_url: URL_A }, [{ name: "facilitator_url", breakers_open: 3 }]],
  [{ test_mode: true, enabled: true }, [{ name: "test", breakers_open: 3 }]],
  [
    {
      facilitators: [
        { name: "first", url: URL_A },
        { name: "second", url: `${URL_A}/2` },
      ],
    },
    [
      { name: "first", breakers_open: 2 },
      { name: "second", breakers_open: 1 },
    ],
  ],
])("the status of %j has its facilitators with their open breakers", async (x402, members) => {
  expect(await facilitatorsOf(x402)).toEqual({ members, breakers_open: 6, gas: [] });
});

test("the status has the gas of the chains whose gas was read, by their configured names", async () => {
  const chains = ["base", "base-sepolia", "polygon"].map((network) => ({ network, rpc_url_env: "TEST_RPC" }));
  const found = await facilitatorsOf({ chains }, ({ zone }) => {
    const counters = zone.counters(1);
    counters[COLUMN.gasBalance] = 2.5;
    counters[COLUMN.gasLow + 2] = 1;
  });
  expect(found).toMatchObject({
    gas: [
      { network: "base", balance: 2.5, low_keys: 0 },
      { network: "polygon", balance: 0, low_keys: 1 },
    ],
  });
});

const SERVER = {
  server: "127.0.0.1:9000",
  source: "configured",
  weight: 1,
  backup: false,
  health: "unchecked",
  in_rotation: true,
  drained: false,
  reason: "",
  failures: 0,
  requests_in_flight: 0,
  connections: 0,
} as const;
const OUT = { ...SERVER, in_rotation: false };
const DRAINED = { ...OUT, drained: true };

test("the status of a gateway without problems is ok", async () => {
  await using rig = await AdminRig.start();
  rig.upstreams = [{ name: "api", servers: [SERVER, DRAINED] }];
  expect((await rig.call("GET", "/v1/status")).body).toMatchObject({ status: "ok", problems: [] });
});

test("the status of a gateway that cannot serve or sell has each problem in words", async () => {
  const chains = [{ network: "base", rpc_url_env: "TEST_RPC" }];
  await using rig = await AdminRig.start({ x402: { facilitator_url: URL_A, chains } });
  rig.upstreams = [
    { name: "api", servers: [OUT] },
    { name: "docs", servers: [SERVER, OUT, DRAINED] },
    { name: "found", servers: [] },
  ];
  const counters = rig.zone.counters(0);
  counters[COLUMN.ledgerAway] = 1;
  counters[COLUMN.facilitatorBreakersOpen + LAST] = 1;
  counters[COLUMN.gasLow] = 1;
  const day = 86_400_000;
  rig.certificates = [
    { path: "tls.cert_path", from: 0, to: rig.now - day },
    { path: "tls.certificates[0]", from: rig.now + day, to: rig.now + 2 * day },
    { path: "tls.certificates[1]", from: 0, to: rig.now + day },
  ];
  expect((await rig.call("GET", "/v1/status")).body).toMatchObject({
    status: "ok",
    problems: [
      "the ledger cannot be read or written: payments get 503",
      'upstream "api" has no server in rotation',
      'upstream "docs" has 1 of 3 servers out of rotation',
      'upstream "found" has no server in rotation',
      'facilitator "facilitator_url" does not respond',
      "keys of the facilitator have little gas on base",
      "the certificate of tls.cert_path has expired 1 d ago",
      "the certificate of tls.certificates[0] is not valid yet",
    ],
  });
});
