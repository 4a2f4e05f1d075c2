import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { ID_MARK, marked, PreparedHeader, PreparedJson, URL_MARK } from "./challenge-text.ts";

const URLS = ["http://a.test/", "http://a.test/ä", `http://a.test/"x"`, "http://a.test/🜁/x", ""];

test("prepared JSON gets the URL and the id of each request", () => {
  const prepared = new PreparedJson({ a: URL_MARK, b: [ID_MARK, URL_MARK], c: "url" });
  for (const url of URLS) {
    const written = prepared.write(JSON.stringify(url), `"id"`);
    expect(JSON.parse(written)).toEqual({ a: url, b: [`"id"`, url], c: "url" });
  }
});

test.each(["", "d", "dd", "ddd", "é"])(
  "a prepared header is the challenge, in base64 without padding between: %j",
  (description) => {
    const required: PaymentRequired = {
      x402Version: 2,
      error: "Payment required",
      resource: { url: "http://other.test/", description, mimeType: "" },
      accepts: [REQUIREMENTS],
    };
    const prepared = new PreparedHeader(marked(required));
    for (const url of URLS) {
      const json = JSON.stringify(url);
      const header = prepared.write(json);
      expect(header).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(JSON.parse(Buffer.from(header, "base64").toString())).toEqual({
        ...required,
        resource: { ...required.resource, url },
      });
      expect(header).toHaveLength(prepared.lengthWith(Buffer.byteLength(json)));
    }
  },
);
