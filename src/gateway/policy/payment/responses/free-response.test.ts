import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type ResponseHead, type ResponseSink } from "../../../exchange/exchange.ts";
import { FreeResponse } from "./free-response.ts";

/** The response to a free request, what its client gets, and how often the request is given back. */
function opened(): { response: FreeResponse; got: string[]; given: () => number } {
  const got: string[] = [];
  let given = 0;
  const sink: ResponseSink = {
    start: ({ status }) => void got.push(`start ${status}`),
    data: () => got.push("data") > 0,
    end: (trailers) => void got.push(`end ${trailers}`),
    abort: ({ code }) => void got.push(`abort ${code}`),
  };
  return { response: new FreeResponse(sink, () => (given += 1)), got, given: () => given };
}

const head = (status: number, fields = ""): ResponseHead => ({ status, reason: "", fields, bodyLength: -1 });

test.each([
  [200, 0],
  [404, 0],
  [499, 0],
  [500, 1],
  [503, 1],
  [101, 0],
])("a request whose response is %d is given back %d times", (status, times) => {
  const { response, got, given } = opened();
  response.start(head(status));
  response.end("");
  expect([got, given()]).toEqual([[`start ${status}`, "end "], times]);
});

test("a request whose response fails before its head is given back, and one that fails later is not", () => {
  const early = opened();
  early.response.abort(new TurnpikeError("upstream-failed", "x"));
  expect([early.got, early.given()]).toEqual([["abort upstream-failed"], 1]);
  const interim = opened();
  interim.response.start(head(103));
  interim.response.abort(new TurnpikeError("upstream-failed", "x"));
  expect(interim.given()).toBe(1);
  for (const status of [200, 101]) {
    const late = opened();
    late.response.start(head(status));
    late.response.abort(new TurnpikeError("upstream-failed", "x"));
    expect(late.given()).toBe(0);
  }
});

test("a request whose trailers have a status of the server's fault is given back once", () => {
  const { response, given } = opened();
  response.start(head(200));
  response.end("grpc-status: 14\r\n");
  expect(given()).toBe(1);
  for (const trailers of ["grpc-status: 0\r\n", "grpc-status: 5\r\n", "x: 1\r\n"]) {
    const other = opened();
    other.response.start(head(200));
    other.response.end(trailers);
    expect([other.given(), other.got.at(-1)]).toEqual([0, `end ${trailers}`]);
  }
  const both = opened();
  both.response.start(head(500));
  both.response.end("grpc-status: 14\r\n");
  expect(both.given()).toBe(1);
});

test("a response names no charge", () => {
  const got: string[] = [];
  const response = new FreeResponse({
    start: ({ fields }) => void got.push(fields),
    data: () => true,
    end: (trailers) => void got.push(trailers),
    abort() {},
  });
  const claims = 'Settlement-Overrides: {"amount":"4"}\r\nsettlement-deferral: {"path":"/secret"}\r\n';
  response.start(head(200, `A: 1\r\n${claims}`));
  response.end(`${claims}B: 2\r\n`);
  expect(got).toEqual(["A: 1\r\n", "B: 2\r\n"]);
});
