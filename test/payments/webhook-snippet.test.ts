import { afterAll, expect, test } from "bun:test";
import { parseSecrets, webhookHeaders } from "../../src/payments/settlement/webhooks/webhook-secret.ts";
import { readDocument } from "../support/documents.ts";
import { Folder } from "../support/program.ts";

const folder = new Folder();
const BASE64 = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PLAIN = "a-plain-secret-of-some-length";
const BODY = '{"type":"payment.settled","data":{"route":"/caf\u00e9"}}';

afterAll(() => folder.remove());

interface Snippet {
  readonly isGenuine: (headers: object, body: string, secret: string) => boolean;
}

async function snippet(): Promise<Snippet> {
  const [, code = ""] = /```js\n(import \{ createHmac[\s\S]+?)```/.exec(readDocument("docs/ledger.md")) ?? [];
  const { isGenuine } = (await import(folder.write("verify.mjs", code))) as Partial<Snippet>; // The document could lack
  // the snippet.
  if (isGenuine === undefined) throw new Error("Cannot verify: docs/ledger.md does not say how");
  return { isGenuine };
}

test("a record is verified by the code of the documents, with either form of secret and while secrets change", async () => {
  const { isGenuine } = await snippet();
  const timestamp = Math.floor(Date.now() / 1000);
  const webhook = { id: "5a7c9d1e-0f3b-8a42-9c61-d2e4f6a8b0c2", timestamp, body: BODY };
  const both = webhookHeaders(webhook, parseSecrets("S", `${PLAIN} ${BASE64}`));
  for (const secret of [BASE64, PLAIN]) {
    expect(isGenuine(webhookHeaders(webhook, parseSecrets("S", secret)), BODY, secret)).toBe(true);
    expect(isGenuine(both, BODY, secret)).toBe(true);
    expect(isGenuine(both, `${BODY} `, secret)).toBe(false);
    expect(isGenuine({ ...both, "webhook-id": "other" }, BODY, secret)).toBe(false);
    expect(isGenuine({}, BODY, secret)).toBe(false);
  }
  expect(isGenuine(both, BODY, "another-secret-of-some-length")).toBe(false);
  const old = webhookHeaders({ ...webhook, timestamp: timestamp - 301 }, parseSecrets("S", PLAIN));
  expect(isGenuine(old, BODY, PLAIN)).toBe(false);
});
