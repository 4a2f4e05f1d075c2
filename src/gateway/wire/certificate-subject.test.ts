import { expect, test } from "bun:test";
import { certificateSubject } from "./certificate-subject.ts";

const SUBJECTS: readonly [what: string, lines: string, subject: string][] = [
  ["the most specific part first", "C=DE\nO=Acme\nCN=one", "CN=one,O=Acme,C=DE"],
  ["commas within a part as they were escaped", "O=Acme\\, Inc\nCN=one", "CN=one,O=Acme\\, Inc"],
  ["parts of several values joined by a plus", "O=Acme\nCN=one + UID=7", "CN=one+UID=7,O=Acme"],
  ["an escaped plus as it was", "CN=a \\+ b", "CN=a \\+ b"],
  ["other characters than ASCII as escaped bytes", "CN=Zoë\nO=日", "O=\\E6\\97\\A5,CN=Zo\\C3\\AB"],
  ["characters that could end a field line as escaped bytes", "CN=a\r\u0000b", "CN=a\\0D\\00b"],
  ["no text without parts", "", ""],
];

for (const [what, lines, subject] of SUBJECTS) {
  test(`a subject has ${what}`, () => expect(certificateSubject(lines)).toBe(subject));
}
