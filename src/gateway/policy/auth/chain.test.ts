import { expect, test } from "bun:test";
import { createChain } from "./chain.ts";
import { type Method, type Outcome } from "./method.ts";
import { refusal } from "./refusals.ts";
import { requestOf } from "./testing/exchange.ts";

/** Methods by letters: `a` admits, `r` refuses, in capitals after a turn. Only methods of `asked` may be asked. */
function chainOf(letters: string) {
  const [asked, taken, closed]: string[][] = [[], [], []];
  const methods = Array.from(letters, (letter, at): Method => {
    const method: Method = {
      type: letter,
      check: () => {
        asked?.push(letter);
        const outcome: Outcome =
          letter.toLowerCase() === "a"
            ? { kind: "admitted", by: method, consumer: String(at), fields: "" }
            : refusal("unauthorized", "no", [`${letter}${at}`]);
        return letter === letter.toUpperCase() ? Promise.resolve(outcome) : outcome;
      },
      take: () => void taken?.push(letter),
      close: () => void closed?.push(letter),
    };
    return method;
  });
  return { chain: createChain(methods), asked, taken, closed };
}

test.each([
  ["a", "a", "0"],
  ["ra", "ra", "1"],
  ["Aa", "A", "0"],
  ["rA", "rA", "1"],
  ["Ra", "Ra", "1"],
  ["RrRaA", "RrRa", "3"],
  ["rr", "rr", "r0 r1"],
  ["rRr", "rRr", "r0 R1 r2"],
  ["RR", "RR", "R0 R1"],
])("of %s, %s are asked: %s", async (letters, expected, result) => {
  const { chain, asked } = chainOf(letters);
  const outcome = await chain.check(requestOf(""));
  expect(asked?.join("")).toBe(expected);
  expect(outcome.kind === "admitted" ? outcome.consumer : outcome.challenges.join(" ")).toBe(result);
});

test("a request is judged at once if no method waits", () => {
  expect(chainOf("rra").chain.check(requestOf(""))).not.toBeInstanceOf(Promise);
});

test("all methods take their credentials, and are closed", () => {
  const { chain, taken, closed } = chainOf("rA");
  chain.take(requestOf("").head);
  chain.close();
  expect([taken?.join(""), closed?.join("")]).toEqual(["rA", "rA"]);
});
