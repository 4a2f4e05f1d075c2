/** With the vectors of AWS's published test suite of Signature Version 4. */
import { expect, test } from "bun:test";
import { signedHeaders } from "./sig-v4.ts";

const SUITE = { region: "us-east-1", service: "service", at: Date.UTC(2015, 7, 30, 12, 36) };
const CREDENTIALS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "",
};
const SESSION =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

interface Vector {
  readonly name: string;
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly sessionToken?: string;
  readonly signed: string;
  readonly signature: string;
}

const VECTORS: readonly Vector[] = [
  {
    name: "get-vanilla",
    method: "GET",
    signed: "host;x-amz-date",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  {
    name: "post-vanilla",
    signed: "host;x-amz-date",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    name: "post-x-www-form-urlencoded",
    fields: { "content-type": "application/x-www-form-urlencoded" },
    body: "Param1=value1",
    signed: "content-type;host;x-amz-date",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
  {
    name: "get-header-value-trim",
    method: "GET",
    fields: { "my-header1": " value1", "my-header2": ' "a   b   c"' },
    signed: "host;my-header1;my-header2;x-amz-date",
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  {
    name: "post-sts-header-before",
    sessionToken: SESSION,
    signed: "host;x-amz-date;x-amz-security-token",
    signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  },
];

test.each(VECTORS)("$name", ({ method = "POST", fields = {}, body = "", sessionToken = "", signed, signature }) => {
  const request = { method, url: "https://example.amazonaws.com/", fields, body };
  expect(signedHeaders(request, { ...CREDENTIALS, sessionToken }, SUITE)["authorization"]).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  );
});
