import { expect, test } from "bun:test";
import { type ClientRequest, listSize } from "./client-stream.ts";

const REQUEST: ClientRequest = {
  method: "POST",
  scheme: "https",
  authority: "a.test:8443",
  path: "/p?q=1",
  fields: "",
  ownFields: "",
  bodyLength: -1,
};

/** The sum of RFC 9113 §6.5.2: names, values, and 32 bytes for each field. */
function sizeOf({ method, scheme, authority, path, fields, ownFields }: ClientRequest): number {
  const pseudo =
    [":method", method, ":scheme", scheme, ":authority", authority, ":path", path].join("").length + 4 * 32;
  const lines = (fields + ownFields).split("\r\n").slice(0, -1);
  return lines.reduce((sum, line) => sum + line.length - ": ".length + 32, pseudo);
}

test("the size of a request's head is that of RFC 9113 with the longest Content-Length", () => {
  const longest = "content-length".length + 32 + 15;
  for (const [fields, ownFields] of [
    ["", ""],
    ["A: b\r\n", ""],
    ["A: b\r\nLonger: value\r\nEmpty: \r\n", "X: y\r\nZ: z\r\n"],
  ] as const) {
    const request = { ...REQUEST, fields, ownFields };
    expect(listSize(request)).toBe(sizeOf(request) + longest);
  }
});
