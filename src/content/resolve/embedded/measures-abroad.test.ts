import { describeSides } from "../testing/describe-sides.ts";

/** Questions about rates, revenues, votes and finals in five languages beside English. */
describeSides({
  "Die Zentralbank von Estmark: Wird sie den Leitzins im September 2026 senken?": {
    YES: ["Die Zentralbank von Estmark hat den Leitzins am 17. September 2026 gesenkt."],
    "NO?": ["Die Zentralbank von Estmark hat den Leitzins am 17. September 2026 erhöht."],
    NO: ["Die Zentralbank von Estmark ließ den Leitzins am 17. September 2026 unverändert."],
    "": [
      "Die Zentralbank von Estmark hat den Leitzins am 17. Juli 2026 gesenkt.",
      "Die Zentralbank von Marvia hat den Leitzins am 17. September 2026 gesenkt.",
      "Die Zentralbank von Estmark will den Leitzins am 17. September 2026 senken.",
      "Die Zentralbank von Estmark hat die Prognose am 17. September 2026 gesenkt.",
    ],
  },
  "Wird Tecnova im dritten Quartal 2026 mehr als 2 Milliarden Euro Umsatz machen?": {
    YES: ["Tecnova machte im dritten Quartal 2026 einen Umsatz von 2,3 Milliarden Euro."],
    NO: ["Tecnova machte im dritten Quartal 2026 einen Umsatz von 1,7 Milliarden Euro."],
    "": [
      "Tecnova machte im zweiten Quartal 2026 einen Umsatz von 2,3 Milliarden Euro.",
      "Tecnova erwartet im dritten Quartal 2026 einen Umsatz von 2,3 Milliarden Euro.",
      "Heron machte im dritten Quartal 2026 einen Umsatz von 2,3 Milliarden Euro.",
    ],
    "YES?": ["Tecnova machte im dritten Quartal 2026 einen Gewinn von 2,3 Milliarden Euro."],
  },
  "Le Parlement de Valmont a-t-il voté la loi sur l'eau avant le 1er juillet 2026 ?": {
    YES: [
      "Le Parlement de Valmont a voté la loi sur l'eau le 12 juin 2026.",
      "La loi sur l'eau a été votée par le Parlement de Valmont le 12 juin 2026.",
    ],
    NO: [
      "Le Parlement de Valmont a voté la loi sur l'eau le 12 juillet 2026.",
      "Le Parlement de Valmont a rejeté la loi sur l'eau le 12 juin 2026.",
    ],
    "": [
      "Le Parlement de Valmont a voté contre la loi sur l'eau le 12 juin 2026.",
      "Une commission du Parlement de Valmont a voté la loi sur l'eau le 12 juin 2026.",
      "Le Parlement de Valmont votera la loi sur l'eau le 12 juin 2026.",
      "Le Parlement de Valmont a voté un amendement à la loi sur l'eau le 12 juin 2026.",
      "Le Parlement de Lestang a voté la loi sur l'eau le 12 juin 2026.",
      "Le Parlement de Valmont aurait voté la loi sur l'eau le 12 juin 2026.",
      "Le Parlement de Valmont a reporté le vote de la loi sur l'eau le 12 juin 2026.",
    ],
  },
  "¿Superará el paro en Altamar el 12 % en agosto de 2026?": {
    YES: [
      "El paro en Altamar subió al 12,4 % en agosto de 2026.",
      "La tasa de paro en Altamar fue del 12,4 % en agosto de 2026.",
    ],
    NO: [
      "El paro en Altamar bajó al 11,6 % en agosto de 2026.",
      "La tasa de paro en Altamar fue del 11,6 % en agosto de 2026.",
    ],
    "": [
      "El paro en Altamar subió un 12,4 % en agosto de 2026.",
      "El paro en Riviera subió al 12,4 % en agosto de 2026.",
      "El paro en Altamar fue del 12,4 % en julio de 2026.",
      "El Gobierno prevé que el paro en Altamar suba al 12,4 % en agosto de 2026.",
    ],
  },
  "La Roma Verde ha battuto il Borgo Sereno nella finale del 3 maggio 2026?": {
    YES: [
      "La Roma Verde ha battuto il Borgo Sereno nella finale del 3 maggio 2026.",
      "Il Borgo Sereno è stato battuto dalla Roma Verde nella finale del 3 maggio 2026.",
    ],
    NO: [
      "Il Borgo Sereno ha battuto la Roma Verde nella finale del 3 maggio 2026.",
      "La Roma Verde ha perso la finale del 3 maggio 2026 contro il Borgo Sereno.",
    ],
    "": [
      "La Roma Verde ha battuto il Borgo Sereno nella semifinale.",
      "La Roma Verde ha battuto il Montelago nella finale del 3 maggio 2026.",
      "La Roma Verde potrebbe battere il Borgo Sereno nella finale del 3 maggio 2026.",
    ],
    "YES?": ["La Roma Verde femminile ha battuto il Borgo Sereno nella finale del 3 maggio 2026."],
  },
  "O presidente de Mirante vetou a lei das pescas em maio de 2026?": {
    YES: [
      "O presidente de Mirante vetou a lei das pescas em 12 de maio de 2026.",
      "A lei das pescas foi vetada pelo presidente de Mirante em 12 de maio de 2026.",
    ],
    NO: ["O presidente de Mirante promulgou a lei das pescas em 12 de maio de 2026."],
    "": [
      "O presidente de Mirante vetou a lei das florestas em 12 de maio de 2026.",
      "O presidente de Mirante ameaçou vetar a lei das pescas em 12 de maio de 2026.",
      "O parlamento de Mirante derrubou o veto do presidente à lei das pescas em 12 de maio de 2026.",
      "O presidente de Altamar vetou a lei das pescas em 12 de maio de 2026.",
      "O presidente do parlamento de Mirante vetou a lei das pescas em 12 de maio de 2026.",
      "O presidente de Mirante vetou um artigo da lei das pescas em 12 de maio de 2026.",
    ],
  },
});
