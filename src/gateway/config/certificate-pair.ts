import { type Report } from "./draft.ts";

/** Reports a problem if a section names a certificate without its key, or a key without its certificate. */
export function certificatePair(section: { cert_path: string; key_path: string }, name: string, report: Report): void {
  const { cert_path: cert, key_path: key } = section;
  if (cert !== "" && key === "") report.problem(`${name}.key_path`, `required with ${name}.cert_path`);
  if (cert === "" && key !== "") report.problem(`${name}.cert_path`, `required with ${name}.key_path`);
}
