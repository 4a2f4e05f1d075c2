/** The kinds of slow clients. */
export const ATTACK_KINDS = ["none", "uploads", "downloads", "h2-uploads"] as const;

export type AttackKind = (typeof ATTACK_KINDS)[number];
