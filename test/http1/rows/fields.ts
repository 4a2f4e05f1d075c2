/** Field names, field values and Host (RFC 9110 §5, §7.2; RFC 9112 §3.2, §5). */
import { accepted, declined, head, refused, type Row } from "./row.ts";

function field(line: string): string {
  return head("GET /x HTTP/1.1", line);
}

function host(value: string): string {
  return `GET /x HTTP/1.1\r\nHost: ${value}\r\n\r\n`;
}

export const FIELDS: readonly Row[] = [
  refused("a NUL in a name", field("X\0Y: z")),
  refused("a NUL in a value", field("X: y\0z")),
  refused("a NUL as a value", field("X: \0")),
  refused("SOH in a value", field("X: \x01")),
  refused("BEL in a value", field("X: a\x07b")),
  refused("ESC in a value", field("X: \x1b[2J")),
  refused("DEL in a value", field("X: a\x7fb")),
  refused("a vertical tab in a value", field("X: a\vb")),
  refused("a control character in a name", field("X\x01: y")),
  refused("DEL in a name", field("X\x7f: y")),
  refused("a byte over 127 in a name", field("X\xe9: y")),
  refused("a space in a name", field("X Y: z")),
  refused("a space before the colon", field("X : y")),
  refused("a tab before the colon", field("X\t: y")),
  refused("an empty name", field(": y")),
  refused("a line without a colon", field("X")),
  refused("a parenthesis in a name", field("X(: y")),
  refused("a slash in a name", field("X/Y: z")),
  refused("an at sign in a name", field("X@: y")),
  refused("a quote in a name", field('"X": y')),
  refused("a bracket in a name", field("[X]: y")),
  refused("a comma in a name", field("X,Y: z")),
  refused("a semicolon in a name", field("X;: y")),
  accepted("an empty value", field("X:"), "GET /x"),
  accepted("every mark that a name may hold", field("!#$%&'*+-.^_`|~09aZ: y"), "GET /x"),
  accepted("bytes over 127 in a value", field("X: \xe9\xff"), "GET /x"),
  accepted("tabs and colons in a value", field("X: a\tb:c"), "GET /x"),

  refused("no Host", "GET /x HTTP/1.1\r\nX: y\r\n\r\n"),
  refused("no field at all", "GET /x HTTP/1.1\r\n\r\n"),
  refused("two differing Hosts", "GET /x HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n"),
  refused("two equal Hosts", "GET /x HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n"),
  refused("two Hosts in different capitals", "GET /x HTTP/1.1\r\nHost: a.test\r\nX: y\r\nHOST: a.test\r\n\r\n"),
  refused("two Hosts in HTTP/1.0", "GET /x HTTP/1.0\r\nHost: a.test\r\nHost: b.test\r\n\r\n"),
  declined("an empty Host", host("")),
  declined("a space in Host", host("a .test")),
  declined("two names in Host", host("a.test b.test")),
  declined("a slash in Host", host("a.test/x")),
  declined("a backslash in Host", host("a.test\\x")),
  declined("a query in Host", host("a.test?x")),
  declined("a fragment in Host", host("a.test#x")),
  declined("user info in Host", host("user@a.test")),
  declined("user info with a password in Host", host("user:word@a.test")),
  declined("a scheme in Host", host("http://a.test")),
  declined("a port that is not a number in Host", host("a.test:8o")),
  declined("a port over 65535 in Host", host("a.test:65536")),
  declined("a negative port in Host", host("a.test:-1")),
  declined("two ports in Host", host("a.test:80:80")),
  declined("a port without a name in Host", host(":80")),
  refused("a NUL in Host", host("a\0.test")),
  refused("a control character in Host", host("a\x01.test")),
  declined("a byte over 127 in Host", host("a\xe9.test")),
  declined("angle brackets in Host", host("<a.test>")),
  declined("a quote in Host", host('a".test')),
  declined("an open bracket in Host", host("[::1")),
  declined("brackets without an IPv6 address in Host", host("[zz]")),
  declined("letters behind the brackets in Host", host("[::1]a")),
  declined("a bad escape in Host", host("a%zz.test")),
  accepted("a port in Host", host("a.test:8080"), "GET /x"),
  accepted("an IPv6 address in Host", host("[::1]:8080"), "GET /x"),
  accepted("a name in capitals in Host", host("A.TEST"), "GET /x"),
];
