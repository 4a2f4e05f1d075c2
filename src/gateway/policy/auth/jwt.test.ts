import { afterEach, expect, spyOn, test } from "bun:test";
import { bearer, EC, hmac, part, pem, SECRET, token } from "../../../../test/policy/testing/tokens.ts";
import { createJwt, type JwtConfig } from "./jwt.ts";
import { MAX_CREDENTIAL_BYTES, type Method } from "./method.ts";
import { type KeySetDeps } from "./jwks.ts";
import { requestOf } from "./testing/exchange.ts";

const clock = { now: 1_700_000_000_000 };
const NOW_S = clock.now / 1000;

afterEach(() => {
  clock.now = NOW_S * 1000;
});

function methodOf(changes: Partial<JwtConfig> = {}): Method {
  const config = { algorithm: "HS256", secret: SECRET, claims_to_headers: [], consumers: [], ...changes } as const;
  // With a secret only the clock is needed.
  return createJwt(config, { clock: () => clock.now } as KeySetDeps);
}

/** The consumer of an admitted token, or the reason of a refusal. */
function verdict(method: Method, text: string): string {
  const outcome = method.check(requestOf(`Authorization: ${bearer(text)["authorization"]}\r\n`));
  if (outcome instanceof Promise) throw new Error("It is asked at once");
  return outcome.kind === "admitted" ? `${outcome.consumer} is in` : outcome.error.message;
}

test("a token is verified again when it has expired, and after five minutes", () => {
  const method = methodOf();
  const short = token({ sub: "short", exp: NOW_S + 100 });
  const long = token({ sub: "long" });
  expect([verdict(method, short), verdict(method, long)]).toEqual(["short is in", "long is in"]);
  using parsed = spyOn(JSON, "parse");
  const looks = (text: string): number => {
    parsed.mockClear();
    expect(verdict(method, text)).toEndWith("is in");
    return parsed.mock.calls.length;
  };
  clock.now += 159_999;
  expect([looks(short), looks(long)]).toEqual([0, 0]);
  clock.now += 1;
  expect(verdict(method, short)).toContain("has expired");
  clock.now += 139_999;
  expect(looks(long)).toBe(0);
  clock.now += 1;
  expect(looks(long)).toBeGreaterThan(0);
  expect(looks(long)).toBe(0);
  // The clock is set back.
  clock.now -= 86_400_000;
  expect(looks(long)).toBeGreaterThan(0);
  method.close();
  expect(looks(long)).toBeGreaterThan(0);
});

test("a request without a token is refused, and learns the scheme", () => {
  const outcome = methodOf().check(requestOf(""));
  expect(outcome).toMatchObject({ kind: "refused", challenges: ['Bearer realm="api"'] });
  expect(outcome).toHaveProperty("error.message", "this path needs a token");
});

test("4096 tokens are remembered, and the oldest is dropped", () => {
  const method = methodOf();
  const tokens = Array.from({ length: 4097 }, (_, i) => token({ sub: String(i) }));
  const [first = "", second = "", third = ""] = tokens;
  for (const text of tokens.slice(0, 4096)) verdict(method, text);
  using parsed = spyOn(JSON, "parse");
  verdict(method, first);
  expect(parsed).not.toHaveBeenCalled();
  verdict(method, tokens[4096] ?? "");
  parsed.mockClear();
  verdict(method, second);
  verdict(method, tokens[4096] ?? "");
  expect(parsed).not.toHaveBeenCalled();
  verdict(method, first);
  expect(parsed).toHaveBeenCalled();
  // The last token has replaced the second one.
  parsed.mockClear();
  verdict(method, third);
  expect(parsed).not.toHaveBeenCalled();
  verdict(method, second);
  expect(parsed).toHaveBeenCalled();
});

test.each([
  ["another algorithm", token({ sub: "a" }, "HS512"), "not signed as required"],
  ["no algorithm", token({ sub: "a" }, "HS256", { alg: "none" }), "not signed as required"],
  ["what is critical", token({ sub: "a" }, "HS256", { crit: [] }), "not signed as required"],
  ["a key id that is not a text", token({ sub: "a" }, "HS256", { kid: 1 }), "cannot be read"],
  ["another secret", token({ sub: "a" }, "HS256", {}, hmac("other")), "not signed as required"],
  ["a signature cut short", token({ sub: "a" }).slice(0, -4), "not signed as required"],
  ["no object of claims", token("[]"), "cannot be read"],
  ["claims that cannot be read", token({ sub: 1 }), "a claim of the token cannot be read"],
  ["a header that is not an object", `${part("[]")}.${part({})}.AA`, "cannot be read"],
  ["two parts", "a.b", "cannot be read"],
])("a token with %s is refused", (_what, text, why) => {
  expect(verdict(methodOf(), text)).toContain(why);
});

test("a key id is ignored if one key verifies all tokens", () => {
  expect(verdict(methodOf(), token({ sub: "a" }, "HS256", { kid: "x" }))).toBe("a is in");
});

test("signatures of ES256 are 64 bytes", () => {
  const method = methodOf({ algorithm: "ES256", secret: pem(EC.publicKey) });
  expect(verdict(method, token({ sub: "a" }, "ES256"))).toBe("a is in");
  for (const length of [0, 63, 65]) {
    expect(
      verdict(
        method,
        token({ sub: "a" }, "ES256", {}, () => Buffer.alloc(length, 1)),
      ),
    ).toMatch(/signed|read/);
  }
});

/** A token of that length, or slightly longer. */
function ofLength(length: number): string {
  const rough = token({ sub: "a", pad: "" });
  for (let pad = Math.floor(((length - rough.length) * 3) / 4) - 2; ; pad++) {
    const text = token({ sub: "a", pad: "x".repeat(pad) });
    if (text.length >= length) return text;
  }
}

test("a token of the maximum length is accepted, and a longer one is refused", () => {
  const method = methodOf();
  const most = ofLength(MAX_CREDENTIAL_BYTES);
  expect(most.length).toBeLessThanOrEqual(MAX_CREDENTIAL_BYTES);
  expect(verdict(method, most)).toBe("a is in");
  expect(verdict(method, ofLength(MAX_CREDENTIAL_BYTES + 1))).toContain("cannot be read");
});

test("consumers are checked by the name in the token", () => {
  const method = methodOf({ consumers: ["a"] });
  expect([verdict(method, token({ sub: "a" })), verdict(method, token({ sub: "b" }))]).toEqual([
    "a is in",
    expect.stringContaining("not allowed"),
  ]);
});

test("without a key the start fails", () => {
  expect(() => createJwt({ algorithm: "HS256", claims_to_headers: [], consumers: [] }, {} as KeySetDeps)).toThrow(
    "neither a secret nor a jwks_url",
  );
});
