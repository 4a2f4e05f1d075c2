import { expect, test } from "bun:test";
import { SampledMirror } from "./mirrors.ts";
import { type RequestCopier } from "./request-copy.ts";
import { TestClient } from "./testing/test-client.ts";

const REQUESTS = 1000;

test.each([0, 0.01, 0.25, 0.5, 0.99, 1])("of any sequence of requests, the share %d is copied", (share) => {
  const { exchange } = new TestClient();
  for (const start of [0, 0.4, 0.999]) {
    let count = 0;
    const counting: RequestCopier = { copy: () => void count++ };
    const mirror = new SampledMirror(counting, share, () => start);
    for (let asked = 1; asked <= REQUESTS; asked += 1) {
      mirror.copy(exchange);
      expect(Math.abs(count - asked * share)).toBeLessThan(3);
    }
  }
});
