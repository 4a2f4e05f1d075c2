/** A token of RFC 6750 §2.1, as it stands after `Bearer`. */
export const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
