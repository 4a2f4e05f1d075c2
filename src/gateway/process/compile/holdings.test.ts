import { expect, test } from "bun:test";
import { Holdings } from "./holdings.ts";

interface Made {
  readonly name: string;
  close(next: Made | undefined): void;
}

let closed: string[] = [];

function made(name: string): Made {
  return { name, close: (next) => closed.push(`${name} ${next?.name}`) };
}

function provideFirst(name: string, previous: Made | undefined): Made {
  return made(`${name} after ${previous?.name}`);
}

async function provideSecond(name: string): Promise<Made> {
  return made(name);
}

test("objects close once, what was made last first, and each gets the next objects of its feature", async () => {
  closed = [];
  const before = new Holdings();
  expect((await before.add(provideFirst, "a", undefined)).name).toBe("a after undefined");
  await before.add(provideSecond, "b", undefined);
  const next = new Holdings();
  expect((await next.add(provideFirst, "c", before)).name).toBe("c after a after undefined");
  expect((await next.add(provideFirst, "again", before)).name).toBe("c after a after undefined");
  before.close(next);
  before.close();
  expect(closed).toEqual(["b undefined", "a after undefined c after a after undefined"]);
});
