/** The requested URL in challenges and in refused payments, on every protocol. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

let origin: RawOrigin;
let gateway: ProtocolGateway;
let state: Folder;

beforeAll(async () => {
  origin = await RawOrigin.start();
  state = new Folder();
  gateway = await startProtocols({
    state_path: state.path,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [{ path_prefix: "/reports", upstream: "origin", x402: { ...TERMS, description: "Reports" } }],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  state.remove();
});

for (const protocol of PROTOCOLS) {
  test(`${protocol}: a price on /reports names /reports/1 with its query, on the requested host`, async () => {
    const asked = { path: "/reports/1?year=2026&q=%22", authority: "shop.example:8443" };
    const url = "https://shop.example:8443/reports/1?year=2026&q=%22";
    const unpaid = await gateway.request(protocol, asked);
    expect(decodeHeader(unpaid.header("payment-required") ?? "")).toMatchObject({
      resource: { url, description: "Reports" },
    });
    expect(unpaid.json).toMatchObject({ paymentRequired: { resource: { url } }, accepts: [{ resource: url }] });
    const headers = { accept: "text/html", "user-agent": "Mozilla/5.0" };
    const page = (await gateway.request(protocol, { ...asked, headers })).text;
    expect(page).toContain(`<code>GET ${url.replaceAll("&", "&#38;")}</code>`);
    expect(page).toContain("Test mode.");
  });

  test(`${protocol}: an unreadable payment and a payment for another request get the challenge with their error`, async () => {
    const payment = signedPayment(Date.now() / 1000);
    const headers = { "payment-signature": encodeHeader(payment) };
    expect((await gateway.request(protocol, { path: "/reports/1", headers })).status).toBe(200);
    const cases = [
      [400, { "payment-signature": "%" }],
      [409, headers],
    ] as const;
    for (const [status, fields] of cases) {
      const refused = await gateway.request(protocol, { path: "/reports/2", headers: fields });
      expect(refused.status).toBe(status);
      const required = decodeHeader(refused.header("payment-required") ?? "");
      expect(required).toMatchObject({ resource: { url: expect.stringMatching(/\/reports\/2$/) } });
      expect(refused.json).toMatchObject({ status, accepts: [{ resource: expect.stringMatching(/\/reports\/2$/) }] });
    }
  });
}
