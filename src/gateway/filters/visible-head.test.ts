import { expect, test } from "bun:test";
import { eachField } from "../../lib/http/fields.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { type Auth } from "../policy/auth/create-method.ts";
import { visibleHead } from "./visible-head.ts";

const FIELDS = [
  "Accept: */*",
  "AUTHORIZATION: Bearer t",
  "authorization: Basic x",
  "X-Key: k",
  "Cookie: session=1",
  "Proxy-Authorization: Basic y",
  "X-User: ann",
];
// The function reads only these parts.
const HEAD = { fields: FIELDS.map((line) => `${line}\r\n`).join(""), query: "?a=1&%74icket=s&b=2" } as RequestHead;

const API_KEY: Auth = { type: "api_key", header_name: "x-key", query_param: "ticket", keys: [], consumers: [] };
const JWT: Auth = { type: "jwt", algorithm: "HS256", secret: "", claims_to_headers: [], consumers: [] };
const FORWARD: Auth = {
  type: "forward_auth",
  url: "http://a.test",
  headers_forward: ["Cookie"],
  headers_upstream: ["X-User", "Authorization"],
  consumer_header: "X-Consumer-Name",
  timeout_ms: 1,
  consumers: [],
};
const ANONYMOUS: Auth = { type: "anonymous", subject: "anybody" };

const CASES: readonly [name: string, auth: Auth, fields: string, query: string][] = [
  ["none", { type: "none" }, "Accept AUTHORIZATION authorization X-Key Cookie X-User", HEAD.query],
  ["anonymous", ANONYMOUS, "Accept AUTHORIZATION authorization X-Key Cookie X-User", HEAD.query],
  ["api_key", API_KEY, "Accept AUTHORIZATION authorization Cookie X-User", "?a=1&b=2"],
  ["jwt", JWT, "Accept X-Key Cookie X-User", HEAD.query],
  ["forward_auth", FORWARD, "Accept X-Key X-User", HEAD.query],
  [
    "a chain in a chain",
    { type: "chain", methods: [{ type: "chain", methods: [JWT, API_KEY] }, ANONYMOUS] },
    "Accept Cookie X-User",
    "?a=1&b=2",
  ],
];

test.each(CASES)("a filter sees no credentials of %s", (_, auth, fields, query) => {
  const { visibleFields, visibleQuery } = visibleHead(auth);
  const names = [...eachField(visibleFields(HEAD))].map(([name]) => name);
  expect([names.join(" "), visibleQuery(HEAD)]).toEqual([fields, query]);
});
