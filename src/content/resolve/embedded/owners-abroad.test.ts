import { describeSides } from "../testing/describe-sides.ts";

/** Questions about laws, takeovers, primaries and prices in five languages beside English. */
describeSides({
  "Wird der Bundestag von Estmark das Klimagesetz vor dem 1. Oktober 2026 verabschieden?": {
    YES: [
      "Der Bundestag von Estmark hat das Klimagesetz am 12. September 2026 verabschiedet.",
      "Das Klimagesetz wurde am 12. September 2026 vom Bundestag von Estmark verabschiedet.",
    ],
    NO: ["Der Bundestag von Estmark hat das Klimagesetz am 12. September 2026 abgelehnt."],
    "": [
      "Der Ausschuss des Bundestags von Estmark hat das Klimagesetz am 12. September 2026 verabschiedet.",
      "Der Bundesrat von Estmark hat das Klimagesetz am 12. September 2026 verabschiedet.",
      "Der Bundestag von Estmark hat das Klimagesetz am 12. September 2026 beraten.",
      "Der Bundestag von Estmark hat den Klimaminister am 12. September 2026 verabschiedet.",
      "Der Bundestag von Estmark hat Teile des Klimagesetzes am 12. September 2026 verabschiedet.",
    ],
  },
  "Haben alle drei Kandidaten die Prüfung bestanden?": {
    YES: ["Alle drei Kandidaten haben die Prüfung bestanden."],
    "YES?": ["Zwei der drei Kandidaten haben die Prüfung bestanden."],
    "": ["Ein Kandidat hat die Prüfung bestanden."],
  },
  "L'acquisition d'Aldine par Fenwick a-t-elle été bloquée par l'Autorité en 2026 ?": {
    YES: [
      "L'Autorité a bloqué l'acquisition d'Aldine par Fenwick le 3 mai 2026.",
      "L'acquisition d'Aldine par Fenwick a été bloquée par l'Autorité le 3 mai 2026.",
    ],
    "": [
      "L'Autorité a bloqué l'acquisition de Fenwick par Aldine le 3 mai 2026.",
      "L'Autorité a ouvert une enquête sur l'acquisition d'Aldine par Fenwick le 3 mai 2026.",
      "Un tribunal a bloqué l'acquisition d'Aldine par Fenwick le 3 mai 2026.",
      "L'Autorité pourrait bloquer l'acquisition d'Aldine par Fenwick.",
    ],
  },
  "¿Ganó Elena Soto las primarias del Partido Cívico en 2026?": {
    YES: ["Elena Soto ganó las primarias del Partido Cívico el 3 de mayo de 2026."],
    NO: [
      "Elena Soto perdió las primarias del Partido Cívico el 3 de mayo de 2026.",
      "Luis Prado ganó las primarias del Partido Cívico el 3 de mayo de 2026.",
    ],
    "": [
      "Elena Soto ganó las primarias del Partido Liberal el 3 de mayo de 2026.",
      "Elena Soto se presentó a las primarias del Partido Cívico el 3 de mayo de 2026.",
      "Elena Soto lidera las primarias del Partido Cívico.",
      "Ana Soto ganó las primarias del Partido Cívico el 3 de mayo de 2026.",
    ],
  },
  "Il prezzo del grano è sceso sotto i 200 euro a settembre 2026?": {
    YES: ["Il prezzo del grano è sceso a 188 euro il 12 settembre 2026."],
    "": [
      "Il prezzo del mais è sceso a 188 euro il 12 settembre 2026.",
      "Il prezzo del grano è sceso di 188 euro il 12 settembre 2026.",
      "Il prezzo del grano potrebbe scendere a 188 euro a settembre 2026.",
      "Il prezzo del grano è sceso a 188 euro il 12 agosto 2026.",
    ],
  },
  "O Congresso de Mirante aprovou o orçamento sem emendas em 2026?": {
    "YES?": ["O Congresso de Mirante aprovou o orçamento sem emendas em 12 de maio de 2026."],
    NO: ["O Congresso de Mirante rejeitou o orçamento em 12 de maio de 2026."],
    "": [
      "O Congresso de Mirante aprovou as emendas em 12 de maio de 2026.",
      "O Congresso de Mirante debateu o orçamento sem emendas em 12 de maio de 2026.",
    ],
  },
});
