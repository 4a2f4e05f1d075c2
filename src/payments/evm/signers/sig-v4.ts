import { createHash, createHmac } from "node:crypto";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Empty for keys that do not expire. */
  readonly sessionToken: string;
}

interface AwsRequest {
  readonly method: string;
  /** Without query. */
  readonly url: string;
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/**
 * The fields of a request with a signature of AWS Signature Version 4. `at` is in Unix milliseconds. All fields are signed.
 * The path of the URL is expected in its normal form.
 */
export function signedHeaders(
  { method, url, fields, body }: AwsRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, at }: { readonly region: string; readonly service: string; readonly at: number },
): Readonly<Record<string, string>> {
  const { host, pathname } = new URL(url);
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const day = time.slice(0, 8);
  const all = {
    ...fields,
    host,
    "x-amz-date": time,
    ...(sessionToken === "" ? {} : { "x-amz-security-token": sessionToken }),
  };
  const sorted = Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map(([name]) => name).join(";");
  const lines = sorted.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, " ")}\n`).join("");
  const canonical = [method, pathname, "", lines, names, sha256(body)].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const dated = hmac(`AWS4${secretAccessKey}`, day);
  const key = hmac(hmac(hmac(dated, region), service), "aws4_request");
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join("\n")).toString("hex");
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...all, authorization };
}
