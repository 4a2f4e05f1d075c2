import { expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { CODERS, CODINGS } from "./codings.ts";
import { Compressor } from "./compressor.ts";

for (const coding of CODINGS) {
  test(`a failure of ${coding} in the midst is told once, and nothing comes after it`, async () => {
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
    // Taken, and dropped: whoever sends is told otherwise that nobody wants it.
    expect(compressor.write(Buffer.alloc(1_000_000))).toBe(true);
    compressor.goOn();
    compressor.end();
    compressor.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(["broken"]);
  });
}
