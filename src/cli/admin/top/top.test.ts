import { expect, test } from "bun:test";
import { reasonOf } from "./top.ts";

test.each([
  ["Cannot reach http://127.0.0.1:9180: no program listens there; start the gateway", "no program listens there"],
  ["Cannot use the response of https://gw.test:9180: it is not JSON; is that an admin interface?", "it is not JSON"],
])("%s: the view shows the reason alone", (message, reason) => {
  expect(reasonOf(new Error(message))).toBe(reason);
});
