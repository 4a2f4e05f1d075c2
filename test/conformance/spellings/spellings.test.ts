import { expect, test } from "bun:test";
import { play } from "./play.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

test(
  "no usual spelling of a guarded path reaches it on a real server",
  async () => {
    const { rows } = await play({ depth: 0, guarded: ["/paid/x.txt"] });
    for (const { upstream, direct, leaks, served } of rows) {
      expect([upstream, leaks]).toEqual([upstream, []]);
      // The corpus can fail, and the gateway does not refuse everything.
      expect([upstream, direct > 10, served]).toEqual([upstream, true, 6]);
    }
  },
  patient(300_000),
);
