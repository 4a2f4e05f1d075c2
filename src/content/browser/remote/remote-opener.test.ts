import { expect, test } from "bun:test";
import { messageOf } from "../../../lib/caught.ts";
import { RemoteOpener } from "./remote-opener.ts";

const SETTINGS = {
  endpoint: new URL("ws://browser.test:9222/secret"),
  maxPages: 4,
  proxyAddress: "",
  allowedAddresses: [],
  ca: undefined,
};

test("after a failure, visits fail at once until the pause is over, which doubles up to 10 s", async () => {
  let now = 0;
  let attempts = 0;
  const logged: string[] = [];
  const opener = new RemoteOpener(
    SETTINGS,
    (level, message) => void logged.push(`${level} ${message}`),
    async () => {
      attempts++;
      throw new Error("it is away");
    },
    () => now,
  );
  const outcome = () => opener.open().then(() => "open", messageOf);
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 8; attempt++) {
    expect(await outcome()).toBe("it is away");
    expect(attempts).toBe(attempt);
    pauses.push(opener.reopenMs);
    now += opener.reopenMs - 1;
    expect(await outcome()).toBe("it is away");
    expect(attempts).toBe(attempt);
    now += 1;
  }
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toStartWith("warn Cannot use the remote browser at ");
  expect(logged[0]).not.toContain("secret");
});
