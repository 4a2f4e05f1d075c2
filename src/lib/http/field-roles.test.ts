import { describe, expect, test } from "bun:test";
import { FieldScan } from "../../gateway/http1/field-scan.ts";
import { responseField, ResponseFields } from "../../gateway/http2/response-fields.ts";
import { requestField, RequestFields } from "../../gateway/exchange/request-fields.ts";
import { FIELD_ROLES, type FieldRole } from "./field-roles.ts";

/** A value that is valid for all fields of the table. */
const VALUES: Readonly<Record<string, string>> = { "content-length": "0", te: "trailers", expect: "100-continue" };
const NAMES = Object.entries(FIELD_ROLES).flatMap(([role, names]) => names.map((name) => [name, role] as const));

function valueOf(name: string): string {
  return VALUES[name] ?? "value";
}

/** The fields that HTTP/1 passes on from a head with this field. */
function passedOn(name: string, isRequest: boolean): string {
  const scan = new FieldScan();
  const bytes = Buffer.from(`${name}: ${valueOf(name)}\r\n\r\n`);
  expect(scan.scan(bytes, 0, bytes.length - 2, { isRequest, maxCount: 10 })).toBe(true);
  return scan.fields;
}

/** The fields that HTTP/2 passes on; undefined if the request is malformed. */
function passedOnOfList(name: string): string | undefined {
  const request = new RequestFields();
  request.begin();
  const pseudo = { ":method": "GET", ":scheme": "https", ":authority": "a.test", ":path": "/" };
  for (const [key, value] of Object.entries(pseudo)) request.add(requestField(key, value));
  request.add(requestField(name, valueOf(name)));
  const listed = request.finish(true, { scheme: "https", maxCount: 10, extendedConnect: false });
  return listed === undefined || !("head" in listed) ? undefined : listed.head.fields;
}

/** The result for a field of each role in a request of HTTP/1, and of HTTP/2 or HTTP/3. */
const IN_REQUESTS: Readonly<Record<FieldRole, readonly ["dropped" | "passed", "dropped" | "passed" | "malformed"]>> = {
  connection: ["dropped", "malformed"],
  framing: ["dropped", "dropped"],
  proxy: ["dropped", "dropped"],
  trusted: ["dropped", "dropped"],
  forwarded: ["dropped", "dropped"],
  methodOverride: ["passed", "passed"],
  payment: ["dropped", "dropped"],
  settlement: ["passed", "passed"],
};

const DROPPED = ["forwarded", "payment"] satisfies FieldRole[];

describe("a request's field by its role", () => {
  test.each(NAMES)("%s, %s", (name, role) => {
    // The keys of the table are its roles. A field of responses may have another role in requests.
    const [http1, http2] = IN_REQUESTS[DROPPED.find((one) => FIELD_ROLES[one].includes(name)) ?? (role as FieldRole)];
    const line = `${name}: ${valueOf(name)}\r\n`;
    expect(passedOn(name, true)).toBe(http1 === "passed" ? line : "");
    expect(passedOnOfList(name)).toBe(http2 === "malformed" ? undefined : http2 === "passed" ? line : "");
  });
});

describe("a response's field that ends at the next hop is not passed on", () => {
  const hop = [...FIELD_ROLES.connection, ...FIELD_ROLES.proxy, "content-length", "te", "trailer"];
  test.each(hop)("%s", (name) => {
    expect(passedOn(name, false)).toBe("");
    const response = new ResponseFields({ maxSize: 1_000, maxCount: 10 });
    response.begin();
    response.field(responseField(":status", "200"), 0);
    response.field(responseField(name, valueOf(name)), 0);
    const isMalformed = FIELD_ROLES.connection.includes(name);
    expect(response.finish(true)?.fields.startsWith(`${name}: `)).toBe(isMalformed ? undefined : false);
  });
});
