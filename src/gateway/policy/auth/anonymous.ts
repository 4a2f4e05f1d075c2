import { type Admitted, consumerLine, type Method } from "./method.ts";

/** Admits all requests as `subject`; empty: without a name. Throws if it cannot be a field value. */
export function createAnonymous(subject: string): Method {
  const fields = consumerLine(subject);
  if (fields === undefined)
    throw new Error(`Cannot use the anonymous consumer ${JSON.stringify(subject)}: it is not a valid name`);
  const method: Method = {
    type: subject === "" ? "none" : "anonymous",
    check: () => admitted,
    take() {},
    close() {},
  };
  const admitted: Admitted = { kind: "admitted", by: method, consumer: subject, fields };
  return method;
}
