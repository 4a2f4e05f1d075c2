// A filter for the Turnpike ABI: accepts requests with a key, and reports that in a field of the response.
import { ALLOW, header, MODIFY, path, REJECT, reply, setHeader } from "./env";

export function on_request(): i32 {
  if (path().startsWith("/public/")) return ALLOW;
  const key = header("x-api-key");
  if (key == "") {
    reply(401, "key required");
    return REJECT;
  }
  setHeader("x-key-ends-with", key.substr(-4));
  return MODIFY;
}
