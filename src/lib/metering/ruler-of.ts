import { EventRuler } from "./event-ruler.ts";
import { MessageRuler } from "./message-ruler.ts";
import { ByteRuler, LineRuler, type Ruler, type Unit } from "./ruler.ts";

/** A new ruler for a body. */
export function rulerOf(unit: Unit): Ruler {
  switch (unit) {
    case "event":
      return new EventRuler();
    case "line":
      return new LineRuler();
    case "message":
      return new MessageRuler();
    case "byte":
    default:
      return new ByteRuler();
  }
}
