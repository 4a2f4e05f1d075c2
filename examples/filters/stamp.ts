// A filter for the Turnpike ABI: hides the body of failed responses, and marks all responses.
import { ALLOW, get_response_status, replaceBody, set_response_status, setHeader } from "./env";

const APPLY: i32 = 0;

export function on_request(): i32 {
  return ALLOW;
}

export function on_response(): i32 {
  setHeader("x-filtered", "yes");
  if (get_response_status() >= 500) {
    set_response_status(503);
    setHeader("content-type", "text/plain");
    replaceBody("please try again\n");
  }
  return APPLY;
}
