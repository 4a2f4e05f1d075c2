import { createHmac, pbkdf2Sync } from "node:crypto";
import { expect, test } from "bun:test";
import { Scram } from "./scram.ts";

// The example of RFC 7677 §3 without the user's name, which PostgreSQL takes from another message. So the proofs differ
// from the RFC.
const NONCE = "rOprNGfwEbeRWgbNEkqO";
const CHALLENGE = `r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`;

test("the first message has the nonce and no name", () => {
  expect(new Scram("pencil", NONCE).first).toBe(`n,,n=,r=${NONCE}`);
});

test("each log-in has a nonce of its own, with 18 random bytes", () => {
  const nonces = Array.from({ length: 20 }, () => new Scram("pencil").first.slice("n,,n=,r=".length));
  expect(new Set(nonces).size).toBe(20);
  for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9+/]{24}$/);
});

test("the client proves its password, and requires the server's proof", async () => {
  const scram = new Scram("pencil", NONCE);
  const last = await scram.last(CHALLENGE);
  expect(last).toStartWith(`c=biws,r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=`);
  expect(last).toBe(await new Scram("pencil", NONCE).last(CHALLENGE));
  expect(last).not.toBe(await new Scram("pencils", NONCE).last(CHALLENGE));
  expect(scram.proven).toBe(false);
  for (const final of ["", "v=", "v=AAAA", "e=other-error", `v=${Buffer.alloc(32).toString("base64")}`]) {
    expect(() => scram.check(final)).toThrow("its proof");
  }
  expect(scram.proven).toBe(false);
});

test("a proof without a challenge before it proves nothing", () => {
  expect(() => new Scram("pencil").check("v=AAAA")).toThrow("its proof");
});

const CHALLENGES: readonly [name: string, challenge: string, expected: string][] = [
  ["the client's nonce alone", `r=${NONCE},s=W22Z,i=4096`, "its nonce"],
  ["another nonce", "r=other,s=W22Z,i=4096", "its nonce"],
  ["no salt", `r=${NONCE}x,i=4096`, "its salt"],
  ["no count", `r=${NONCE}x,s=W22Z`, "its count"],
  ["a count of none", `r=${NONCE}x,s=W22Z,i=0`, "its count"],
  ["a count of a year's work", `r=${NONCE}x,s=W22Z,i=9999999`, "its count"],
  ["a count that is not a number", `r=${NONCE}x,s=W22Z,i=0x10`, "its count"],
  ["names of prototypes", `r=${NONCE}x,__proto__=1,s=`, "its salt"],
];
for (const [name, challenge, expected] of CHALLENGES) {
  test(`a challenge with ${name} is refused`, async () => {
    const scram = new Scram("pencil", NONCE);
    expect(await scram.last(challenge).then(() => "taken", String)).toContain(expected);
  });
}

function lastAfter(i: number): Promise<string> {
  return new Scram("pencil", NONCE).last(`r=${NONCE}x,s=W22Z,i=${i}`).then(() => "taken", String);
}

test("the count of iterations has a lower and an upper limit", async () => {
  expect([await lastAfter(1), await lastAfter(1_000_000)]).toEqual(["taken", "taken"]);
  expect(await lastAfter(1_000_001)).toContain("its count");
});

test("only the correct proof of the server is accepted, not another one of the same length", async () => {
  const salted = pbkdf2Sync("pencil", Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"), 4096, 32, "sha256");
  const serverKey = createHmac("sha256", salted).update("Server Key").digest();
  const scram = new Scram("pencil", NONCE);
  const [withoutProof = ""] = (await scram.last(CHALLENGE)).split(",p=");
  const proof = createHmac("sha256", serverKey).update(`n=,r=${NONCE},${CHALLENGE},${withoutProof}`).digest();
  scram.check(`v=${proof.toString("base64")}`);
  expect(scram.proven).toBe(true);
});
