import { array, int, object, oneOf, type Output, strictObject, string } from "../../lib/schema.ts";
import { type Session } from "../../store/jobs/session-store.ts";
import { type JobOperation } from "./job-requests.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { sessionParameters, sessionSecret } from "./session-parameters.ts";
import { whole } from "./text.ts";

/** Seconds: a day, and 30 of them. */
const DAY_S = 86_400;
const MAX_TTL_S = 30 * DAY_S;
const MIN_TTL_S = 10;

const seconds = whole(MIN_TTL_S, MAX_TTL_S);

const body = strictObject({
  ttl: seconds.default(DAY_S).describe("Seconds"),
  idle_ttl: seconds.optional().describe("Idle seconds; absent for `ttl`"),
  session_secret: sessionParameters.session_secret.describe("Secret of another one"),
}).openapi("SessionRequest");

const state = object({
  id: string().describe("Name of the session"),
  uses: int().describe("Number of pages that have used it"),
  stored_bytes: int().describe("Bytes of its data, encrypted"),
  created_at: string().openapi({ format: "date-time" }),
  used_at: string().openapi({ format: "date-time" }),
  expires_at: string().openapi({ format: "date-time", description: "Time at which it ends, if it is not used" }),
}).openapi("SessionState", { description: "The state of a session" });

const status = object({
  ...state.shape,
  left_out: array(
    object({
      origin: string(),
      database: string().optional().describe("Absent for the localStorage"),
      reason: oneOf(["size", "value", "busy", "restore"]),
    }),
  ).describe("Data that was not kept, and why"),
}).openapi("SessionStatus", { description: "The state of a session, and what it did not keep" });

// A schema that extends another one would be "allOf", which the typed clients cannot express.
const created = object({
  ...state.shape,
  secret: string().describe("The value of X-Session-Secret in requests about this session; shown only here"),
}).openapi("SessionResponse", { description: "A session that was created" });

const list = object({ sessions: array(state) }).openapi("SessionList", {
  description: "The sessions with a secret, the oldest first",
});

const EXAMPLE = {
  id: "8f14e45fceea167a5a36dedd4bea2543",
  uses: 0,
  stored_bytes: 0,
  created_at: "2026-01-31T09:00:00.000Z",
  used_at: "2026-01-31T09:00:00.000Z",
  expires_at: "2026-02-01T09:00:00.000Z",
} as const satisfies Output<typeof state>;

function stateOf({ id, uses, bytes, createdAt, usedAt, expiresAt, idleMs }: Session): Output<typeof state> {
  const [created_at, used_at, expires_at] = [createdAt, usedAt, Math.min(expiresAt, usedAt + idleMs)].map((ms) =>
    new Date(ms).toISOString(),
  );
  return {
    id,
    uses,
    stored_bytes: bytes,
    created_at: created_at ?? "",
    used_at: used_at ?? "",
    expires_at: expires_at ?? "",
  };
}

/** `POST /sessions`: a session, whose pages share cookies and storage. */
export const session = postOperation(
  {
    name: "session",
    path: "/sessions",
    price: "$0.01",
    summary: "Create a session for cookies and storage",
    description:
      "Name it in requests for pages. Both engines use it. One page at a time uses it; another one is rejected with 409. Its data is encrypted with its secret, which the " +
      "service does not keep. Kept are cookies, localStorage and IndexedDB; sessionStorage, caches, service workers and the storage of frames are not.",
    body,
    example: { ttl: 3600 },
    success: {
      status: 201,
      description: "The session and its secret",
      schema: created,
      example: { ...EXAMPLE, secret: "kq3vYw1hWJ8m1m1s7m0aVg6pQxg2yT9d" },
    },
    failures: ["invalid-parameters", "overloaded", "store-unavailable"],
  },
  async ({ ttl, idle_ttl: idle = ttl, session_secret: given = "" }, { sessions }): Promise<OperationResult> => {
    const added = await sessions.add({ ttlMs: ttl * 1000, idleMs: idle * 1000 }, given);
    return { json: { ...stateOf(added.session), secret: added.secret }, status: 201 };
  },
);

const path = "/sessions/{id}";
const one = { schema: state, example: EXAMPLE };

/** The requests about sessions. */
export const SESSION_OPERATIONS: readonly JobOperation[] = [
  {
    name: "session_list",
    method: "get",
    path: "/sessions",
    secret: "sessionSecret",
    summary: "List sessions",
    description: "Returns the sessions with the secret in X-Session-Secret.",
    success: {
      description: "The sessions",
      schema: list,
      example: { sessions: [EXAMPLE] },
    },
    failures: ["overloaded", "store-unavailable"],
    run: async ({ headers }, { sessions }) => ({
      json: { sessions: (await sessions.list(sessionSecret(headers))).map(stateOf) },
    }),
  },
  {
    name: "session_status",
    method: "get",
    path,
    secret: "sessionSecret",
    summary: "Return the state of a session",
    description: "Returns the times and the size of the session, and the data of pages that it did not keep.",
    success: {
      schema: status,
      example: { ...EXAMPLE, left_out: [{ origin: "https://shop.example", database: "photos", reason: "size" }] },
      description: "The state",
    },
    failures: ["not-found", "overloaded", "store-unavailable"],
    async run({ id, headers }, { sessions }) {
      const secret = sessionSecret(headers);
      const found = await sessions.find(id, secret);
      return { json: { ...stateOf(found), left_out: await sessions.leftOut(id, secret) } };
    },
  },
  {
    name: "session_end",
    method: "delete",
    path,
    secret: "sessionSecret",
    summary: "End a session",
    description: "Ends the session, also while a page uses it, and removes its data.",
    success: { ...one, description: "The state before that" },
    failures: ["not-found", "overloaded", "store-unavailable"],
    async run({ id, headers }, { sessions }) {
      const found = await sessions.find(id, sessionSecret(headers));
      await sessions.end(id, sessionSecret(headers));
      return { json: stateOf(found) };
    },
  },
];
