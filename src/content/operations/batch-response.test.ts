import { expect, test } from "bun:test";
import { BatchResponse, type BatchResult, MAX_RESULTS } from "./batch-response.ts";

const METADATA = { content_length: 1, elapsed_ms: 1, truncated: false, final_url: "https://a.test/" };

const result = (content: string): BatchResult => ({
  url: "https://a.test/",
  format: "text",
  content,
  metadata: METADATA,
});

/** The results of a response as a client parses them. Long contents are replaced by their lengths. */
function read(response: BatchResponse): BatchResult[] {
  const json = Buffer.concat(response.parts(5)).toString();
  // The API's description defines this shape.
  const { results, total_time_ms: time } = JSON.parse(json) as { results: BatchResult[]; total_time_ms: number };
  expect(time).toBe(5);
  return results;
}

test("a response has its results in their places, in whatever order they came", () => {
  const response = new BatchResponse(3);
  response.put(2, result("c"));
  response.put(0, result("a"));
  response.put(1, { ...result(""), error: "Cannot", error_type: "urn:x" });
  expect(read(response)).toEqual([result("a"), { ...result(""), error: "Cannot", error_type: "urn:x" }, result("c")]);
  expect(response.succeeded).toBe(2);
  response.release();
});

test("every result may have a million of the characters that JSON writes longest", () => {
  const response = new BatchResponse(MAX_RESULTS);
  const longest = result("\u0001".repeat(1_000_000));
  for (let place = 0; place < MAX_RESULTS; place += 1) response.put(place, longest);
  expect(response.succeeded).toBe(MAX_RESULTS);
  const bytes = response.parts(0).reduce((sum, part) => sum + part.length, 0);
  // The limit of the shipped route.
  expect(bytes).toBeLessThan(128 * 1024 * 1024);
  response.release();
});

test("a result that does not fit into the response is an error, and a smaller one after it is not", () => {
  const response = new BatchResponse(MAX_RESULTS);
  const long = result("x".repeat(10_000_000));
  for (let place = 0; place < MAX_RESULTS - 1; place += 1) response.put(place, long);
  response.put(MAX_RESULTS - 1, result("short"));
  const results = read(response);
  expect(results.map(({ content }) => content.length)).toEqual([
    ...Array<number>(12).fill(10_000_000),
    ...Array<number>(7).fill(0),
    5,
  ]);
  expect(results[12]).toEqual({
    ...result(""),
    metadata: { ...METADATA, content_length: 0 },
    error: "Cannot send the page: the batch is full; ask for less by max_length",
    error_type: "urn:turnpike:error:page-failed",
  });
  response.release();
});

test("all responses together have a limit, and a released one makes room", () => {
  const long = result("x".repeat(10_000_000));
  const responses = Array.from({ length: 5 }, () => new BatchResponse(MAX_RESULTS));
  for (const response of responses) for (let place = 0; place < MAX_RESULTS; place += 1) response.put(place, long);
  expect(responses.map(({ succeeded }) => succeeded)).toEqual([12, 12, 12, 12, 5]);
  const [first, ...others] = responses;
  const late = new BatchResponse(1);
  late.put(0, long);
  expect(read(late)[0]?.error_type).toBe("urn:turnpike:error:overloaded");
  first?.release();
  first?.release();
  const later = new BatchResponse(1);
  later.put(0, long);
  expect(later.succeeded).toBe(1);
  for (const response of [...others, late, later]) response.release();
});
