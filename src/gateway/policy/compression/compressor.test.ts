import { expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { CODERS, CODINGS } from "./codings.ts";
import { Compressor } from "./compressor.ts";

for (const coding of CODINGS) {
  test(`a failure of ${coding} is reported once, and no output follows`, async () => {
    const told: string[] = [];
    const coder = CODERS[coding];
    const stream = coder.open();
    const compressor = new Compressor({ ...coder, open: () => stream }, false, {
      output: () => told.push("output") > 0,
      room: () => told.push("room"),
      ended: () => told.push("ended"),
      broken: () => told.push("broken"),
    });
    compressor.write(Buffer.from("some text"));
    await until(() => told.includes("output"));
    told.length = 0;
    stream.destroy(new Error("bad state"));
    await until(() => told.length > 0);
    // The bytes are accepted and dropped: the source learns of the failure in another way.
    expect(compressor.write(Buffer.alloc(1_000_000))).toBe(true);
    compressor.goOn();
    compressor.end();
    compressor.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(["broken"]);
  });
}
