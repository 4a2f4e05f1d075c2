/** The highest port number (RFC 9293 §3.1). */
export const MAX_PORT = 65_535;
