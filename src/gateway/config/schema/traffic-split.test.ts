import { expect, test } from "bun:test";
import { trafficSplitSticky } from "./traffic-split.ts";

test("the cookie's defaults can also be written in the file", () => {
  const sticky = trafficSplitSticky.parse({ cookie: {} });
  expect(sticky).toEqual({ cookie: { name: "turnpike_split", max_age_s: 2_592_000 } });
  expect(trafficSplitSticky.parse(sticky)).toEqual(sticky);
});
