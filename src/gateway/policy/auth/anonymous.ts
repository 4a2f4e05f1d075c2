import { type Admitted, consumerLine, type Method } from "./method.ts";

/** Lets everybody in, under one name; an empty one is that of nobody: `none`. Throws where the name cannot stand in a header. */
export function createAnonymous(subject: string): Method {
  const fields = consumerLine(subject);
  if (fields === undefined) throw new Error(`Cannot let everybody in: ${JSON.stringify(subject)} cannot be a name`);
  const method: Method = {
    type: subject === "" ? "none" : "anonymous",
    isLasting: true,
    check: () => admitted,
    take() {},
    close() {},
  };
  const admitted: Admitted = { kind: "admitted", by: method, consumer: subject, fields };
  return method;
}
