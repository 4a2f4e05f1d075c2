/** Chunk sizes, extensions, data and trailers (RFC 9112 §7.1). */
import { accepted, cut, LIMITS, post, type Row, SMUGGLED } from "./row.ts";

function chunks(body: string): string {
  return post(["Transfer-Encoding: chunked"], body);
}

function size(text: string): string {
  return chunks(`${text}\r\nhello\r\n0\r\n\r\n${SMUGGLED}`);
}

function trailer(text: string): string {
  return chunks(`5\r\nhello\r\n0\r\n${text}\r\n\r\n${SMUGGLED}`);
}

const LONG = LIMITS.max_header_bytes * 4;

export const CHUNKS: readonly Row[] = [
  accepted("two chunks", chunks("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"), "POST /x hello"),
  accepted("a size in capitals", chunks("A\r\n0123456789\r\n0\r\n\r\n"), "POST /x 0123456789"),
  accepted("a size in small letters", chunks("a\r\n0123456789\r\n0\r\n\r\n"), "POST /x 0123456789"),
  accepted("a few zeros before the size", chunks("0005\r\nhello\r\n00\r\n\r\n"), "POST /x hello"),
  accepted("no chunk but the last", chunks("0\r\n\r\n"), "POST /x"),
  accepted("an extension with a value", chunks("5;name=value\r\nhello\r\n0\r\n\r\n"), "POST /x hello"),
  accepted("an extension without a value", chunks("5;name\r\nhello\r\n0;last\r\n\r\n"), "POST /x hello"),
  accepted("an extension in quotes", chunks('5;a="b; c"\r\nhello\r\n0\r\n\r\n'), "POST /x hello"),
  accepted("several extensions", chunks("5;a=b;c;d=e\r\nhello\r\n0\r\n\r\n"), "POST /x hello"),
  accepted("a trailer", chunks("5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"), "POST /x hello"),

  cut("a negative size", size("-5")),
  cut("a size with a plus", size("+5")),
  cut("a size with 0x", size("0x5")),
  cut("a size that is not a number", size("g")),
  cut("a number followed by a letter", size("5g")),
  cut("an empty size", size("")),
  cut("an empty size with an extension", size(";a=b")),
  cut("a space before the size", size(" 5")),
  cut("a tab before the size", size("\t5")),
  cut("a space behind the size", size("5 ")),
  cut("a space inside the size", size("0 5")),
  cut("an underscore in the size", size("0_5")),
  cut("a NUL behind the size", size("5\0")),
  cut("a vertical tab behind the size", size("5\v")),
  cut("a fraction as the size", size("5.0")),
  cut("a size of 2^64 + 5", size("10000000000000005"), [400, 413]),
  cut("a size of 2^64 - 1", size("FFFFFFFFFFFFFFFF"), [400, 413]),
  cut("a size of 2^53 + 5", size("20000000000005"), [400, 413]),
  cut("a size of 2^32 + 5", size("100000005"), [400, 413]),
  cut("a size after 20,000 zeros", size(`${"0".repeat(20_000)}5`)),
  cut("data longer than the size", chunks(`5\r\nhello!\r\n0\r\n\r\n${SMUGGLED}`)),
  cut("data shorter than the size", chunks(`6\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  cut("no CRLF behind the data", chunks(`5\r\nhello0\r\n\r\n${SMUGGLED}`)),
  cut("two CRLF behind the data", chunks(`5\r\nhello\r\n\r\n0\r\n\r\n${SMUGGLED}`)),
  cut("a NUL in an extension", size("5;a\0b")),
  cut("a control character in an extension", size("5;a=\x01")),
  cut("a DEL in an extension", size("5;a=\x7f")),
  cut("LF in an extension", size("5;a=\nb")),
  cut("CR in an extension", size("5;a=\rb")),
  cut("an extension of 16 KiB", size(`5;a=${"b".repeat(LONG)}`), [400, 413, 431]),
  cut("a thousand extensions", size(`5${";a=b".repeat(5000)}`), [400, 413, 431]),
  cut("a semicolon without an extension", size("5;")),
  cut("a bracket in an extension's name", size("5;bad[=x")),
  cut("an extension without a name", size("5;=x")),
  cut("an extension with unclosed quotes", size('5;a="b')),
  cut("a space behind an extension", size("5;a ")),
  accepted("white space around an extension", chunks("5 ; a = b\r\nhello\r\n0\r\n\r\n"), "POST /x hello"),
  cut("a second size in place of an extension", size("5,5")),

  cut("a trailer with a space in its name", trailer("X Y: z")),
  cut("a trailer with a space before the colon", trailer("X : z")),
  cut("a trailer without a colon", trailer("X")),
  cut("a trailer without a name", trailer(": z")),
  cut("a trailer that is folded", trailer("X: y\r\n z")),
  cut("a trailer that begins with a space", trailer(" X: y")),
  cut("a NUL in a trailer", trailer("X: \0")),
  cut("CR in a trailer", trailer("X: a\rb")),
  cut("a trailer over the limit of a head", trailer(`X: ${"y".repeat(LONG)}`), [400, 431]),
  cut(
    "more trailers than fields are allowed",
    trailer(Array.from({ length: 200 }, () => "X: y").join("\r\n")),
    [400, 431],
  ),
];
