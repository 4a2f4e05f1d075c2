import { z } from "@hono/zod-openapi";
import { expect, test } from "bun:test";
import { acceptsStatus, acceptStatus } from "./accept-status.ts";
import { checkBody } from "./operation.ts";

test.each<[unknown, number, boolean]>([
  [undefined, 200, true],
  [undefined, 304, true],
  [undefined, 399, true],
  [undefined, 400, false],
  [undefined, 999, false],
  ["any", 500, true],
  [[404], 404, true],
  [[404], 405, false],
  [["400-404", 410], 404, true],
  [["400-404", 410], 405, false],
  [["400-404", 410], 410, true],
  [["404-400"], 402, true],
  [["404-400"], 405, false],
  [[404], 200, true],
])("of accept_status %j the status %d is accepted: %p", (given, status, accepted) => {
  expect(acceptsStatus(acceptStatus.parse(given), status)).toBe(accepted);
});

const LIST = 'must be "any", or a list of 1 to 20 statuses such as 404 and ranges such as "500-599", from 400 to 999';
const RANGE = 'must be a range of statuses such as "500-599"';

test.each<[unknown, string, string]>([
  ["all", "accept_status", LIST],
  [404, "accept_status", LIST],
  [null, "accept_status", LIST],
  [[], "accept_status", "must not be empty"],
  [Array(21).fill(404), "accept_status", LIST],
  [[404, 399], "accept_status.1", "must be at least 400"],
  [[1000], "accept_status.0", "must be at most 999"],
  [["4xx"], "accept_status.0", RANGE],
])("accept_status %j is rejected, and the error says what is allowed", (given, path, message) => {
  const check = () => checkBody(z.object({ accept_status: acceptStatus }), { accept_status: given });
  expect(check).toThrow(expect.objectContaining({ errors: [{ path, message }] }));
});
