// A filter for the Turnpike ABI: makes the sandbox start the tenant's machine, and sends the request to the socket that the
// sandbox names.
import { ALLOW, call, exitCode, goTo, header, output, PARKED, REJECT, reply } from "./env";

export function on_request(): i32 {
  const tenant = header("x-tenant");
  if (tenant == "") {
    reply(400, "no tenant");
    return REJECT;
  }
  return call("start " + tenant) ? PARKED : REJECT;
}

export function on_resume(): i32 {
  if (exitCode() == 0 && goTo(output().trim())) return ALLOW;
  reply(502, "the tenant does not start");
  return REJECT;
}
