import { expect, test } from "bun:test";
import { hasCsrfToken, sessionCookie, Sessions, sessionToken } from "./sessions.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_SESSIONS = 256;

const HOUR = 60 * 60 * 1000;

test("a session ends after an hour without a request, and after twelve hours in any case", () => {
  let now = 0;
  const sessions = new Sessions(() => now);
  const idle = sessions.begin("read").token;
  const busy = sessions.begin("full").token;
  now += HOUR - 1;
  expect([sessions.find(busy)?.access, sessions.size]).toEqual(["full", 2]);
  now += 1;
  expect(sessions.find(idle)).toBeUndefined();
  for (; now < 12 * HOUR; now += HOUR / 2) expect(sessions.find(busy)?.access).toBe("full");
  expect(sessions.find(busy)).toBeUndefined();
  expect(sessions.size).toBe(0);
});

test("one session too many replaces the session that was unused for longest", () => {
  const sessions = new Sessions(() => 0);
  const tokens = Array.from({ length: MAX_SESSIONS }, () => sessions.begin("full").token);
  const [first = "", second = ""] = tokens;
  sessions.find(first);
  sessions.begin("full");
  expect([sessions.size, sessions.find(first)?.access, sessions.find(second)]).toEqual([
    MAX_SESSIONS,
    "full",
    undefined,
  ]);
  sessions.endAll();
  expect(sessions.find(first)).toBeUndefined();
});

test("a token of another length or of another session is refused", () => {
  const sessions = new Sessions();
  const { session } = sessions.begin("full");
  const other = sessions.begin("full").session;
  const shown = [session.csrfToken, other.csrfToken, "", null, `${session.csrfToken}x`];
  expect(shown.map((token) => hasCsrfToken(session, token))).toEqual([true, false, false, false, false]);
});

test.each<[string | null, string | undefined]>([
  [null, undefined],
  ["", undefined],
  ["turnpike_session", undefined],
  ["turnpike_session=", undefined],
  ["a=b; turnpike_session=t; c=d", "t"],
  ["xturnpike_session=t", undefined],
])("the cookies '%p' have the secret %p", (cookies, token) => {
  expect(sessionToken(cookies)).toBe(token);
});

test("the cookie is only for requests of the same site, and only for TLS if there is TLS", () => {
  expect(sessionCookie("t", true)).toBe("turnpike_session=t; HttpOnly; SameSite=Strict; Path=/; Secure");
  expect(sessionCookie(undefined, false)).toBe("turnpike_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
});
