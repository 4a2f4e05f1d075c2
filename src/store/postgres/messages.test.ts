import { expect, test } from "bun:test";
import { Messages, type Value } from "./messages.ts";

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** A message as chapter 55.7 describes it. */
function encoded(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function valueOf(one: Value): Buffer {
  if (one === null) return int32(-1);
  const bytes = Buffer.from(String(one));
  return Buffer.concat([int32(bytes.length), bytes]);
}

test("messages are those of the protocol", () => {
  expect(new Messages().sslRequest().take()).toEqual(encoded("", int32(80_877_103)));
  expect(new Messages().startup({ user: "me", database: "d" }).take()).toEqual(
    encoded("", int32(196_608), text("user"), text("me"), text("database"), text("d"), text("")),
  );
  expect(new Messages().saslInitial("SCRAM-SHA-256", "n,,é").take()).toEqual(
    encoded("p", text("SCRAM-SHA-256"), int32(5), Buffer.from("n,,é")),
  );
  expect(new Messages().saslResponse("c=é").take()).toEqual(encoded("p", Buffer.from("c=é")));
  const messages = new Messages().sync().terminate();
  expect(messages.take()).toEqual(Buffer.concat([encoded("S"), encoded("X")]));
  expect(messages.take()).toEqual(Buffer.alloc(0));
});

test("messages of any length are whole, wherever their parts meet the end of the buffer", () => {
  // A character of three bytes takes all the room that is made for it, so that each place comes last in the buffer once.
  for (let shift = 0; shift < 24; shift += 1) {
    for (let count = 1340; count <= 1366; count += 1) {
      const [before, long] = ["x".repeat(shift), "€".repeat(count)];
      const bound = [null, long, null, 7];
      const sent = {
        password: new Messages().password(before).password(long).password(long).take(),
        prepared: new Messages().password(before).parse(long, "").bind(before, bound).execute().sync().take(),
        bound: new Messages().password(before).bind(long, bound).execute().sync().take(),
        sasl: new Messages().password(before).saslInitial(long, before).sync().take(),
      };
      const first = encoded("p", text(before));
      const values = bound.map(valueOf);
      const run = [encoded("E", text(""), int32(0)), encoded("S")];
      const bind = (name: string): Buffer =>
        encoded("B", text(""), text(name), int16(0), int16(values.length), ...values, int16(0));
      const expected = {
        password: [first, encoded("p", text(long)), encoded("p", text(long))],
        prepared: [first, encoded("P", text(long), text(""), int16(0)), bind(before), ...run],
        bound: [first, bind(long), ...run],
        sasl: [first, encoded("p", text(long), int32(before.length), Buffer.from(before)), encoded("S")],
      };
      for (const kind of ["password", "prepared", "bound", "sasl"] as const)
        if (!sent[kind].equals(Buffer.concat(expected[kind]))) expect.unreachable(`${kind} ${shift} ${count}`);
    }
  }
});
