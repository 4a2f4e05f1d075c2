import { type Config } from "../config/config.ts";

export type AcmeConfig = NonNullable<Config["tls"]["acme"]>;

/** The operator's account at a certificate authority, to which the account at its directory belongs. */
export interface ExternalAccount {
  readonly keyId: string;
  /** The HMAC key in base64url. */
  readonly key: string;
}

/** `tls.acme`, with the contents of its file and of its variable. */
export interface AcmeSettings {
  readonly config: AcmeConfig;
  /** The PEM of `ca_path`, or empty. */
  readonly authorities: string;
  /** Undefined: the account needs no external account. */
  readonly external: ExternalAccount | undefined;
}
