/** How a compound selector stands to the one on its left. */
export type Combinator = " " | ">" | "+" | "~";

export type AttributeOperator = "" | "=" | "~=" | "|=" | "^=" | "$=" | "*=";

/** One condition on an element. */
export type Simple =
  | { readonly kind: "any" | "root" | "empty" }
  /** A tag's name has no case; those of ids and classes have. */
  | { readonly kind: "tag" | "id" | "class"; readonly name: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly operator: AttributeOperator;
      readonly value: string;
      /** Whether the selector says that case does not matter; of some attributes it never does. */
      readonly caseless: boolean;
    }
  /** The (step × n + offset)th of its siblings, or of those of its type. */
  | {
      readonly kind: "nth";
      readonly ofType: boolean;
      readonly fromEnd: boolean;
      readonly step: number;
      readonly offset: number;
    }
  | { readonly kind: "is" | "not"; readonly list: SelectorList };

/** Compound selectors from the right to the left; the combinator of each leads to the next. */
export interface Complex {
  readonly compound: readonly Simple[];
  readonly combinator: Combinator | undefined;
  readonly left: Complex | undefined;
}

export type SelectorList = readonly Complex[];
