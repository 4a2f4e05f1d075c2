/** The comparison of the arguments of a predicate with those of the question. */
export type Fit =
  /** They are, with a factor for what is only implied. */
  | { readonly kind: "same"; readonly factor: number }
  /** Another actor has what only one can have. */
  | {
      readonly kind: "other-actor";
      /** Whether only the page says of which place or firm the office is. */
      readonly isLoose?: boolean;
    }
  /** The actor and its object have changed places. */
  | { readonly kind: "swapped" }
  | { readonly kind: "different" };

/** The factor of an argument that only the context names. */
export const BY_CONTEXT = 0.9;
