/** The relation of a compound selector to the one on its left. */
export type Combinator = " " | ">" | "+" | "~";

/** The operator that compares an attribute. Empty: the element only needs the attribute. */
export type AttributeOperator = "" | "=" | "~=" | "|=" | "^=" | "$=" | "*=";

export type Simple =
  | { readonly kind: "any" | "root" | "empty" }
  /** Tag names are case-insensitive. Ids and classes are case-sensitive. */
  | { readonly kind: "tag" | "id" | "class"; readonly name: string }
  | {
      readonly kind: "attribute";
      readonly name: string;
      readonly operator: AttributeOperator;
      readonly value: string;
      /** Whether the selector ignores case. For some attributes, case is always ignored. */
      readonly caseless: boolean;
    }
  /** The element is the (step × n + offset)th of its siblings, or of its siblings of the same type. */
  | {
      readonly kind: "nth";
      readonly ofType: boolean;
      readonly fromEnd: boolean;
      readonly step: number;
      readonly offset: number;
    }
  | { readonly kind: "is" | "not"; readonly list: SelectorList };

/** Compound selectors from right to left. The combinator of each leads to the next. */
export interface Complex {
  readonly compound: readonly Simple[];
  readonly combinator: Combinator | undefined;
  readonly left: Complex | undefined;
}

/** Selectors of which an element has to match one. */
export type SelectorList = readonly Complex[];
