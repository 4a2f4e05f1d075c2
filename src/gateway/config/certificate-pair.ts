import { type Report } from "./draft.ts";

/** A certificate and its key come together. */
export function certificatePair(section: { cert_path: string; key_path: string }, name: string, report: Report): void {
  const { cert_path: cert, key_path: key } = section;
  if (cert !== "" && key === "") report.problem(`${name}.key_path`, `required with ${name}.cert_path`);
  if (cert === "" && key !== "") report.problem(`${name}.cert_path`, `required with ${name}.key_path`);
}
