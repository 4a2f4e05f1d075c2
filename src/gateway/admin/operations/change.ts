import { ownMember } from "../../../lib/is-object.ts";
import { refuseKnown, revisionsOf, entityTag } from "../http/preconditions.ts";
import { type AdminParts } from "./parts.ts";
import { type ChangeOutcome, type Edit, type EditDiagnostic } from "../running-config/running-config.ts";
import { type Call, callerOf, hasFlag } from "./operation.ts";
import { reportedDiagnostic, requireChange } from "./outcomes.ts";

type Done = Extract<ChangeOutcome, { readonly kind: "done" }>;

/** The query parameter of operations for which warnings can be errors. */
export const STRICT = { strict: "Refuse a configuration with warnings" };

export const CHANGE_QUERY = {
  ...STRICT,
  force:
    "Also if paths lose a guard (price, filter, authentication, limit or schema), a replacement drops routes, or the admin interface closes",
};

/** Makes a change of `thing` for the caller if the preconditions hold. Throws the client's error otherwise. */
export async function changeBy(call: Call, { config }: AdminParts, edit: Edit, thing: string): Promise<Done> {
  const { headers } = call.request;
  refuseKnown(headers, config.revision);
  const outcome = await config.change(edit, callerOf(call).by, {
    ifMatch: revisionsOf(headers.get("if-match")),
    strict: hasFlag(call.query, "strict"),
    force: hasFlag(call.query, "force"),
  });
  return requireChange(outcome, thing);
}

/** A text in the body of a request. */
export function textMember(value: unknown, key: string): string | undefined {
  const member = ownMember(value, key);
  return typeof member === "string" ? member : undefined;
}

interface Extras {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response after a successful change. */
export function changeResponse(
  {
    revision,
    warnings,
    restart,
  }: Pick<Done, "revision"> & { readonly warnings: readonly EditDiagnostic[]; readonly restart: readonly string[] },
  body: Readonly<Record<string, unknown>>,
  { status = 200, headers = {} }: Extras = {},
): Response {
  const told = {
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(reportedDiagnostic) }),
    ...(restart.length === 0 ? {} : { restart }),
  };
  return Response.json({ ok: true, ...body, ...told }, { status, headers: { ...headers, etag: entityTag(revision) } });
}
