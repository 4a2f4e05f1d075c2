/** A program that starts all lasting work of the payments, and closes none of it. `argv`: a folder of its own. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Facilitators } from "../../../../payments/facilitator/facilitators.ts";
import { PAYER } from "../../../../payments/testing/payment.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { loadValue } from "../../../config/load.ts";
import { Counts } from "../../../telemetry/metrics/counts.ts";
import { LedgerUpkeep } from "../maintenance/ledger-upkeep.ts";
import { maintenanceSettings } from "../maintenance/payment-maintenance.ts";
import { RefundDesk } from "../refunds/refund-desk.ts";
import { ResponseDisk } from "../responses/response-disk.ts";
import { SharedResponses } from "../responses/shared-responses.ts";
import { openScreening } from "../screening/screening.ts";

const [folder = ""] = process.argv.slice(2);
const list = join(folder, "denied");
writeFileSync(list, PAYER);
const { config, problems } = loadValue({
  server: { address: "127.0.0.1" },
  x402: { enabled: true, test_mode: true, screening: { denied_payers: [list] } },
  upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
  routes: [
    {
      path_prefix: "/",
      upstream: "a",
      x402: { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYER },
    },
  ],
});
if (config === undefined) throw new Error(problems.map(({ message }) => message).join());
const store = openStore(join(folder, "state.db"));
const counts = new Counts(new Float64Array(10_000));
const log = (message: string): void => console.error(message);
const shared = { store: () => store, counts, log, onEvent: () => {}, clock: Date.now };
const facilitators = new Facilitators({
  simulatedTransfers: () => store.simulatedTransfers,
  now: Date.now,
  random: Math.random,
  environment: {},
  embedded: () => {
    throw new Error("there is none");
  },
  observer: { asked() {}, breakerChanged() {} },
  log,
});
const lease = facilitators.lease(config.x402);
const settings = maintenanceSettings(config, lease, { environment: {}, callOf: () => async () => undefined });
new LedgerUpkeep(shared).use({ ...settings, posts: true });
new RefundDesk(config, { ...shared, facilitators }).use(config, true);
void new ResponseDisk({ folder: join(folder, "responses"), maxBytes: 1e7, now: Date.now, log });
const responses = { keep: async () => true, has: async () => false, find: async () => undefined, sweep: async () => 0 };
void new SharedResponses({ store: responses, now: Date.now, log });
await openScreening(config.x402.screening, { telemetry: { counts }, log, onEvent: () => {} });
console.log("started");
