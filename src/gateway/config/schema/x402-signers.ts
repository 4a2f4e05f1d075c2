import { array, discriminatedUnion, literal, strictObject, string } from "./recorded-schema.ts";
import { environmentName, filePath, httpUrl, milliseconds, optionalHttpUrl, ours, text } from "./kinds.ts";

const address = string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address: 0x and 40 hex digits")
  .describe("Address of the key. A signature of another key is refused.");
const timeout = milliseconds(5000).describe("Time for one signature.");
const url = optionalHttpUrl.default("").describe("URL of the service. Empty: the provider's own.");

const env = strictObject({
  type: literal("env").describe("A private key in an environment variable."),
  key_env: environmentName.describe("Environment variable with the private key: 32 bytes in hex."),
}).describe("A private key in an environment variable.");

const file = strictObject({
  type: literal("file").describe("A private key in a file."),
  path: filePath.describe("File with the private key: 32 bytes in hex. It is read at start and at each reload."),
}).describe("A private key in a file.");

const web3signer = strictObject({
  type: literal("web3signer").describe("A key of Web3Signer, by its eth1 interface."),
  url: httpUrl.describe("URL of Web3Signer."),
  public_key: string()
    .regex(/^(?:0x)?(?:04)?[0-9a-fA-F]{128}$/, "expected an uncompressed public key: 64 bytes in hex")
    .describe("Public key: 64 bytes in hex."),
  timeout_ms: timeout,
}).describe("A key of Web3Signer.");

const awsKms = strictObject({
  type: literal("aws_kms").describe("A key of AWS KMS of the type ECC_SECG_P256K1."),
  key_id: text.describe("Id, ARN or alias of the key."),
  region: string()
    .regex(/^[a-z0-9-]{1,32}$/, "expected a region, as in eu-central-1")
    .describe("Region of the key."),
  address,
  url,
  access_key_id_env: environmentName
    .default("AWS_ACCESS_KEY_ID")
    .describe("Environment variable with the id of the access key."),
  secret_access_key_env: environmentName
    .default("AWS_SECRET_ACCESS_KEY")
    .describe("Environment variable with the secret access key."),
  session_token_env: environmentName
    .default("AWS_SESSION_TOKEN")
    .describe("Environment variable with the session token, if any."),
  timeout_ms: timeout,
}).describe("A key of AWS KMS.");

const gcpKms = strictObject({
  type: literal("gcp_kms").describe("A key of Google Cloud KMS with the algorithm EC_SIGN_SECP256K1_SHA256."),
  key_version: string()
    .regex(
      /^projects\/[^/?#\s]+\/locations\/[^/?#\s]+\/keyRings\/[^/?#\s]+\/cryptoKeys\/[^/?#\s]+\/cryptoKeyVersions\/[0-9]+$/,
      "expected projects/.../locations/.../keyRings/.../cryptoKeys/.../cryptoKeyVersions/...",
    )
    .describe("Full name of the key version."),
  address,
  url,
  token_path: filePath
    .default("")
    .describe("File with an access token, which is read for each signature. Empty: the metadata server is asked."),
  metadata_url: httpUrl.default("http://metadata.google.internal").describe("URL of the metadata server."),
  timeout_ms: timeout,
}).describe("A key of Google Cloud KMS.");

/** `x402.embedded.signers`. */
export const signers = array(discriminatedUnion("type", [env, file, web3signer, awsKms, gcpKms]))
  .max(16)
  .default([])
  .meta(ours("Keys that pay gas, in place of `key_env`."));
