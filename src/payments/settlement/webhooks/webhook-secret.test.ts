import { expect, test } from "bun:test";
import { messageOf } from "../../../lib/caught.ts";
import { parseSecrets, webhookHeaders } from "./webhook-secret.ts";

/** The example from the Standard Webhooks libraries. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("a webhook is signed according to Standard Webhooks, as in the libraries' own example", () => {
  const webhook = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };
  expect(webhookHeaders(webhook, parseSecrets("S", SECRET))).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("each of several secrets signs", () => {
  const plain = "a secret of plain text, long enough".replaceAll(" ", "-");
  const secrets = parseSecrets("S", ` ${SECRET}\n${plain} `);
  expect(secrets).toHaveLength(2);
  const webhook = { id: "1", timestamp: 2, body: "{}" };
  const both = webhookHeaders(webhook, secrets)["webhook-signature"];
  const each = secrets.map((secret) => webhookHeaders(webhook, [secret])["webhook-signature"]);
  expect(both).toBe(each.join(" "));
});

test("without a secret the record has no signature", () => {
  for (const text of [undefined, "", "  "]) {
    expect(webhookHeaders({ id: "1", timestamp: 2, body: "{}" }, parseSecrets("S", text))).toEqual({
      "webhook-id": "1",
      "webhook-timestamp": "2",
    });
  }
});

const REFUSED = [
  ["too-short-to-be-a-secret".slice(1), "secret of $S is neither"],
  ["whsec_c2hvcnQ=", "secret of $S is neither"],
  ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La-_Sw", "secret of $S is neither"],
  [`${SECRET} short`, "secret number 2 of $S is neither"],
  [Array.from({ length: 9 }, () => SECRET).join(" "), "$S holds more than 8 secrets"],
] as const;

function messageOfRefusal(text: string): string {
  try {
    parseSecrets("S", text);
    return "";
  } catch (error) {
    return messageOf(error);
  }
}

for (const [text, said] of REFUSED) {
  test(`a bad secret is refused, and the error does not repeat it: ${text.slice(0, 60)}`, () => {
    const message = messageOfRefusal(text);
    expect(message).toStartWith(`Cannot sign: ${said}`);
    for (const word of text.split(/\s+/).filter((part) => part.length > 5)) expect(message).not.toContain(word);
  });
}

function lengthOf(text: string): (number | undefined)[] {
  return parseSecrets("S", text).map(({ byteLength }) => byteLength);
}

test("a secret has 24 bytes at least and 1024 at most, and there are eight at most", () => {
  expect(lengthOf("a".repeat(24))).toEqual([24]);
  expect(lengthOf("a".repeat(1024))).toEqual([1024]);
  expect(messageOfRefusal("a".repeat(1025))).toStartWith("Cannot sign: secret of $S is neither");
  expect(lengthOf(Array.from({ length: 8 }, () => SECRET).join(" "))).toEqual(Array.from({ length: 8 }, () => 24));
});
