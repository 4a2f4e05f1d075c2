import { describe, expect, test } from "bun:test";
import { responseField, ResponseFields } from "./response-fields.ts";

type Pair = readonly [name: string, value: string];

const fields = new ResponseFields({ maxSize: 1000, maxCount: 5 });

function read(pairs: readonly Pair[], size = 40): ResponseFields {
  fields.begin();
  for (const [name, value] of pairs) fields.field(responseField(name, value), size);
  return fields;
}

function head(...pairs: readonly Pair[]) {
  return read([[":status", "200"], ...pairs]).finish(true);
}

describe("the head of a response", () => {
  test("has its fields in order, and a date", () => {
    expect(head(["a", "1"], ["date", "today"], ["b", "2"])).toEqual({
      status: 200,
      reason: "",
      fields: "a: 1\r\ndate: today\r\nb: 2\r\n",
      bodyLength: -1,
    });
    expect(head(["a", "1"])?.fields).toMatch(/^a: 1\r\nDate: .* GMT\r\n$/);
    expect(
      read([
        [":status", "103"],
        ["a", "1"],
      ]).finish(true)?.fields,
    ).toBe("a: 1\r\n");
  });

  test("has the length and the gRPC status apart", () => {
    expect(head(["content-length", "7"], ["content-length", "7"], ["date", "x"])).toMatchObject({
      bodyLength: 7,
      fields: "date: x\r\n",
    });
    expect(head(["grpc-status", "5"], ["date", "x"])).toMatchObject({
      grpcStatus: 5,
      fields: "grpc-status: 5\r\ndate: x\r\n",
    });
    expect(head(["grpc-status", "none"])).not.toHaveProperty("grpcStatus");
    expect(head()).not.toHaveProperty("grpcStatus");
    expect(
      read([
        [":status", "200"],
        ["grpc-status", "5"],
      ]).finish(false),
    ).not.toHaveProperty("grpcStatus");
  });

  test("has no fields of the hop", () => {
    expect(head(["te", "x"], ["trailer", "x"], ["proxy-authenticate", "x"], ["date", "x"])?.fields).toMatch(
      /^(?:proxy-authenticate: x\r\n)?date: x\r\n$/,
    );
  });

  test.each<[string, Pair[], string]>([
    ["without a status", [["a", "1"]], "no :status"],
    [
      "with two",
      [
        [":status", "200"],
        [":status", "200"],
      ],
      "repeated :status",
    ],
    [
      "with a late one",
      [
        ["a", "1"],
        [":status", "200"],
      ],
      ":status after a field",
    ],
    ["with 101", [[":status", "101"]], "101 does not exist in HTTP/2"],
    ["with another status", [[":status", "600"]], "no :status"],
    ["with a short status", [[":status", "20"]], "no :status"],
    [
      "with an unknown pseudo-field",
      [
        [":status", "200"],
        [":path", "/"],
      ],
      "a field that cannot stand in a response",
    ],
    [
      "with a field of the connection",
      [
        [":status", "200"],
        ["connection", "close"],
      ],
      "a field that cannot stand in a response",
    ],
    [
      "with capitals",
      [
        [":status", "200"],
        ["A", "1"],
      ],
      "a field that cannot stand in a response",
    ],
    [
      "with a line break",
      [
        [":status", "200"],
        ["a", "1\r\nb: 2"],
      ],
      "a field that cannot stand in a response",
    ],
    [
      "with two lengths",
      [
        [":status", "200"],
        ["content-length", "1"],
        ["content-length", "2"],
      ],
      "bad content-length",
    ],
    [
      "with a bad length",
      [
        [":status", "200"],
        ["content-length", "-1"],
      ],
      "bad content-length",
    ],
  ])("%s is malformed", (_what, pairs, reason) => {
    const result = read(pairs);
    expect(result.finish(true)).toBeUndefined();
    expect(result.malformed).toBe(reason);
  });

  test("is limited in size and in number", () => {
    const four: Pair[] = [
      [":status", "200"],
      ["a", "1"],
      ["b", "2"],
      ["date", "x"],
    ];
    expect([read(four, 250).tooLarge, read(four, 251).tooLarge]).toEqual([false, true]);
    expect(read([...four, ["c", "3"]]).tooLarge).toBe(false);
    const five = read([...four, ["c", "3"], ["d", "4"]]);
    expect([five.tooLarge, five.finish(true)?.fields.includes("d: 4")]).toEqual([true, false]);
    expect(head(["date", "x"])?.fields).toBe("date: x\r\n");
    expect(fields.tooLarge).toBe(false);
  });
});

test("trailers have no status and no length", () => {
  expect(
    read([
      ["a", "1"],
      ["content-length", "5"],
      ["grpc-status", "0"],
    ]).finishTrailers(),
  ).toBe("a: 1\r\ngrpc-status: 0\r\n");
  const wrong = read([[":status", "200"]]);
  expect([wrong.finishTrailers(), wrong.malformed]).toEqual([undefined, ":status in trailers"]);
  expect(read([["connection", "x"]]).finishTrailers()).toBeUndefined();
  expect(read([]).finishTrailers()).toBe("");
});
