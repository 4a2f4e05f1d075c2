import { literal, object, oneOf, string } from "../../../lib/schema.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { JSON_TYPE } from "../http/body.ts";
import { actorOf } from "../http/guard.ts";
import { type Access } from "../http/keys.ts";
import { hasCsrfToken, type Session, sessionCookie, sessionToken } from "../http/sessions.ts";
import { textMember } from "./change.ts";
import { callerOf, type Operation, operationTable } from "./operation.ts";

/** Bytes of a body that carries a key. */
const MAX_KEY_BODY_BYTES = 8192;

const session = object({
  access: oneOf(["full", "read"]),
  csrf_token: string().describe(
    "For X-CSRF-Token. Only the login tells it; later it is empty if the request does not have it",
  ),
}).openapi("Session");

function response(access: Access, kept: Session | undefined, cookie?: string): Response {
  const headers: Record<string, string> = cookie === undefined ? {} : { "set-cookie": cookie };
  return Response.json({ access, csrf_token: kept?.csrfToken ?? "" }, { headers });
}

export const SESSION_OPERATIONS: readonly Operation[] = operationTable({
  "POST /v1/session": {
    name: "beginSession",
    summary: "Log in by a key: the console's cookie",
    access: "anyone",
    body: {
      types: [JSON_TYPE],
      maxBytes: MAX_KEY_BODY_BYTES,
      schema: object({ key: string() }).openapi("Key"),
      description: "A key",
    },
    success: {
      description: "The cookie is set",
      schema: session,
      headers: { "Set-Cookie": "turnpike_session, HttpOnly and SameSite=Strict" },
    },
    failures: ["unauthorized", "rate-limited"],
    run({ body, guard, connection }, { events }) {
      const key = textMember(body, "key");
      if (key === undefined) throw new TurnpikeError("bad-request", 'Cannot log in: the body is not {"key": "..."}');
      const access = guard.check(key, connection);
      const { token, session: kept } = guard.sessions.begin(access);
      const by = actorOf("console", access, connection.address);
      const message = `${connection.address} has logged in to the console`;
      events.add({ kind: "session", message, by, outcome: "done" });
      return response(access, kept, sessionCookie(token, connection.isSecure));
    },
  },
  "GET /v1/session": {
    name: "showSession",
    summary: "Access of the session or key",
    success: { description: "The session", schema: session },
    run(call) {
      const { access, session: kept } = callerOf(call);
      // A browser sends the cookie to all ports of the host, and so to upstreams: who has only the cookie must not get the token.
      const knows = kept !== undefined && hasCsrfToken(kept, call.request.headers.get("x-csrf-token"));
      return response(access, knows ? kept : undefined);
    },
  },
  "DELETE /v1/session": {
    name: "endSession",
    summary: "Log out",
    access: "read",
    success: { description: "The session has ended", schema: object({ ok: literal(true) }) },
    run({ request, guard, connection }) {
      const token = sessionToken(request.headers.get("cookie"));
      if (token !== undefined) guard.sessions.end(token);
      return Response.json({ ok: true }, { headers: { "set-cookie": sessionCookie(undefined, connection.isSecure) } });
    },
  },
});
