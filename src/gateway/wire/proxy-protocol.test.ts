import { describe, expect, test } from "bun:test";
import { readProxyHeader } from "./proxy-protocol.ts";

const SIGNATURE = "\r\n\r\n\0\r\nQUIT\n";

function v2(command: number, family: number, body: readonly number[], length = body.length): Buffer {
  return Buffer.concat([
    Buffer.from(SIGNATURE, "latin1"),
    Buffer.from([command, family, length >> 8, length & 0xff]),
    Buffer.from(body),
  ]);
}

const IPV4 = [192, 0, 2, 7, 192, 0, 2, 8, 0xc8, 0x22, 0x01, 0xbb];
const IPV6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 1, ...Array<number>(16).fill(9), 0, 80, 1, 187];
const MAPPED = [...Array<number>(10).fill(0), 0xff, 0xff, 192, 0, 2, 7, ...Array<number>(16).fill(9), 0, 80, 1, 187];

describe("a PROXY header of", () => {
  const whole: readonly [what: string, bytes: Buffer, address: string | undefined][] = [
    ["version 1 over IPv4", Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 51234 443\r\n"), "192.0.2.7"],
    ["version 1 over IPv6", Buffer.from("PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\n"), "2001:db8::1"],
    ["version 1 over IPv6 in a long form", Buffer.from("PROXY TCP6 2001:DB8:0::01 ::2 1 2\r\n"), "2001:db8::1"],
    ["version 1 over IPv6 with an IPv4 address", Buffer.from("PROXY TCP6 ::FFFF:192.0.2.7 ::2 1 2\r\n"), "192.0.2.7"],
    ["version 1 with an unknown client", Buffer.from("PROXY UNKNOWN\r\n"), undefined],
    ["version 1 with an unknown client and more text", Buffer.from("PROXY UNKNOWN ff:: 1 x\r\n"), undefined],
    ["version 2 over IPv4", v2(0x21, 0x11, IPV4), "192.0.2.7"],
    ["version 2 over IPv4 with extensions", v2(0x21, 0x11, [...IPV4, 4, 0, 1, 0]), "192.0.2.7"],
    ["version 2 over IPv6", v2(0x21, 0x21, IPV6), "2001:db8::1"],
    ["version 2 over IPv6 with an IPv4 address", v2(0x21, 0x21, MAPPED), "192.0.2.7"],
    ["version 2 from the proxy itself", v2(0x20, 0x00, []), undefined],
    ["version 2 from the proxy itself, with an address", v2(0x20, 0x11, IPV4), undefined],
    ["version 2 without an address", v2(0x21, 0x00, []), undefined],
  ];
  for (const [what, bytes, address] of whole) {
    test(`${what} gives the address and the length, in one chunk or byte by byte`, () => {
      const rest = Buffer.from("GET / HTTP/1.1\r\n\r\n");
      expect(readProxyHeader(Buffer.concat([bytes, rest]))).toEqual({ length: bytes.length, address });
      for (let length = 1; length < bytes.length; length++) {
        expect(readProxyHeader(bytes.subarray(0, length))).toBe("unfinished");
      }
    });
  }
});

describe("not a PROXY header:", () => {
  const bad: readonly [what: string, bytes: Buffer][] = [
    ["a request", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a TLS handshake", Buffer.from([0x16, 0x03, 0x01])],
    ["one of another family", Buffer.from("PROXY UDP4 192.0.2.7 192.0.2.8 1 2\r\n")],
    ["one in lower case", Buffer.from("proxy TCP4 192.0.2.7 192.0.2.8 1 2\r\n")],
    ["one with two spaces", Buffer.from("PROXY  TCP4 192.0.2.7 192.0.2.8 1 2\r\n")],
    ["one with a bare LF", Buffer.from(`PROXY TCP4 192.0.2.7 192.0.2.8 1 2\n${"x".repeat(80)}`)],
    ["one with an IPv6 address for IPv4", Buffer.from("PROXY TCP4 ::1 192.0.2.8 1 2\r\n")],
    ["one with the name of an interface", Buffer.from("PROXY TCP6 fe80::1%eth0 ::2 1 2\r\n")],
    ["one with no address", Buffer.from("PROXY TCP4 a.test 192.0.2.8 1 2\r\n")],
    ["one with a port of six digits", Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 1 100000\r\n")],
    ["one with a port over 65535", Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 1 65536\r\n")],
    ["one with a padded port", Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 01 2\r\n")],
    ["one with another part after it", Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 1 2 3\r\n")],
    ["one of 108 bytes", Buffer.from(`PROXY UNKNOWN ${"x".repeat(92)}\r\n`)],
    ["one of version 1 in version 2", v2(0x11, 0x11, IPV4)],
    ["one with another command", v2(0x22, 0x11, IPV4)],
    ["one over UDP", v2(0x21, 0x12, IPV4)],
    ["one with too few bytes for its address", v2(0x21, 0x11, IPV4.slice(0, 11))],
    ["one with too few bytes for its IPv6 address", v2(0x21, 0x21, IPV6.slice(0, 35))],
    ["one that is longer than the limit", v2(0x21, 0x11, IPV4, 5000)],
  ];
  for (const [what, bytes] of bad) {
    test(what, () => expect(readProxyHeader(bytes)).toBeUndefined());
  }
});
