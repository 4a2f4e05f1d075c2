import { describeSides } from "../testing/describe-sides.ts";

/** Questions about launches, strikes, votes and trials in five languages beside English. */
describeSides({
  "Hat Tecnova das Aster-Handy vor dem 1. Oktober 2026 in Deutschland auf den Markt gebracht?": {
    YES: [
      "Tecnova hat das Aster-Handy am 12. September 2026 in Deutschland auf den Markt gebracht.",
      "Tecnova brachte das Aster-Handy am 12. September 2026 in Deutschland auf den Markt.",
    ],
    NO: ["Tecnova hat das Aster-Handy am 3. Oktober 2026 in Deutschland auf den Markt gebracht."],
    "": [
      "Tecnova hat das Aster-Handy am 12. September 2026 in Österreich auf den Markt gebracht.",
      "Tecnova will das Aster-Handy am 12. September 2026 in Deutschland auf den Markt bringen.",
      "Tecnova hat das Vega-Handy am 12. September 2026 in Deutschland auf den Markt gebracht.",
      "Tecnova hat das Aster-Handy am 12. September 2026 in Deutschland vom Markt genommen.",
      "Heron hat das Aster-Handy am 12. September 2026 in Deutschland auf den Markt gebracht.",
    ],
  },
  "Wurde der Streik bei der Rodebahn vor dem 1. Mai 2026 beendet?": {
    YES: [
      "Der Streik bei der Rodebahn wurde am 22. April 2026 beendet.",
      "Die Gewerkschaft beendete den Streik bei der Rodebahn am 22. April 2026.",
    ],
    NO: ["Der Streik bei der Rodebahn wurde am 12. Mai 2026 beendet."],
    "": [
      "Der Streik bei der Rodebahn begann am 22. April 2026.",
      "Der Streik bei der Talbahn wurde am 22. April 2026 beendet.",
      "Die Verhandlungen über den Streik bei der Rodebahn wurden am 22. April 2026 beendet.",
      "Der Streik bei der Rodebahn wurde am 22. April 2026 unterbrochen.",
      "Ein Gericht lehnte es ab, den Streik bei der Rodebahn am 22. April 2026 zu beenden.",
    ],
  },
  "Die Stadt Waldsee: Haben mehr als 50 Prozent für den Neubau gestimmt?": {
    "YES?": [
      "56 Prozent der Wähler in Waldsee stimmten für den Neubau.",
      "In Waldsee haben sich 56 Prozent an der Abstimmung über den Neubau beteiligt.",
    ],
    "": [
      "In Waldsee haben 56 Prozent gegen den Neubau gestimmt.",
      "In einer Umfrage waren 56 Prozent in Waldsee für den Neubau.",
      "In Lindau haben 56 Prozent für den Neubau gestimmt.",
    ],
  },
  "Le film « Marée basse » a-t-il attiré plus d'un million de spectateurs en 2026 ?": {
    YES: ["Le film « Marée basse » a attiré 1,4 million de spectateurs en 2026."],
    "NO?": ["Le film « Marée basse » a attiré 700 000 spectateurs en 2026."],
    "": [
      "Le film « Marée haute » a attiré 1,4 million de spectateurs en 2026.",
      "Le film « Marée basse » a coûté 1,4 million d'euros.",
      "Le film « Marée basse » a attiré 1,4 million de spectateurs en 2024.",
      "Le film « Marée basse » devrait attirer 1,4 million de spectateurs en 2026.",
      "La bande-annonce du film « Marée basse » a attiré 1,4 million de spectateurs en 2026.",
    ],
  },
  "Le maire de Dorn a-t-il été réélu en mars 2026 ?": {
    YES: ["Le maire de Dorn a été réélu le 15 mars 2026."],
    "": [
      "Le maire de Dorn brigue un nouveau mandat le 15 mars 2026.",
      "Le maire de Marl a été réélu le 15 mars 2026.",
      "L'adjoint au maire de Dorn a été réélu le 15 mars 2026.",
      "Le maire de Dorn sera réélu le 15 mars 2026, selon un sondage.",
      "Le maire de Dorn a été élu le 15 mars 2020.",
    ],
  },
  "¿Aprobó el Congreso de Olmeda la reforma fiscal antes del 1 de julio de 2026?": {
    YES: [
      "El Congreso de Olmeda aprobó la reforma fiscal el 12 de junio de 2026.",
      "La reforma fiscal fue aprobada por el Congreso de Olmeda el 12 de junio de 2026.",
    ],
    NO: [
      "El Congreso de Olmeda rechazó la reforma fiscal el 12 de junio de 2026.",
      "El Congreso de Olmeda tumbó la reforma fiscal el 12 de junio de 2026.",
    ],
    "": [
      "El Congreso de Olmeda aprobó tramitar la reforma fiscal el 12 de junio de 2026.",
      "La comisión del Congreso de Olmeda aprobó la reforma fiscal el 12 de junio de 2026.",
      "El Gobierno de Olmeda aprobó la reforma fiscal el 12 de junio de 2026.",
      "El Congreso de Riviera aprobó la reforma fiscal el 12 de junio de 2026.",
      "El Congreso de Olmeda aprobará la reforma fiscal el 12 de junio de 2026.",
      "El Congreso de Olmeda aprobó una enmienda a la reforma fiscal el 12 de junio de 2026.",
      "El Congreso de Olmeda aplazó la reforma fiscal el 12 de junio de 2026.",
    ],
  },
  "Il tribunale di Valdora ha condannato Piero Galli per corruzione nel 2026?": {
    YES: [
      "Il tribunale di Valdora ha condannato Piero Galli per corruzione il 3 marzo 2026.",
      "Piero Galli è stato condannato per corruzione dal tribunale di Valdora il 3 marzo 2026.",
    ],
    "NO?": ["Il tribunale di Valdora ha assolto Piero Galli dall'accusa di corruzione il 3 marzo 2026."],
    "": [
      "Il tribunale di Valdora ha condannato Piero Galli per frode il 3 marzo 2026.",
      "Il tribunale di Montelago ha condannato Piero Galli per corruzione il 3 marzo 2026.",
      "La procura ha chiesto al tribunale di Valdora di condannare Piero Galli per corruzione.",
      "Il tribunale di Valdora ha condannato Paolo Galli per corruzione il 3 marzo 2026.",
      "Il tribunale di Valdora ha rinviato a giudizio Piero Galli per corruzione il 3 marzo 2026.",
      "La corte ha annullato la condanna di Piero Galli per corruzione.",
    ],
  },
  "O Vila Clara contratou o treinador Rui Matos antes de 1 de agosto de 2026?": {
    YES: [
      "O Vila Clara contratou o treinador Rui Matos em 12 de julho de 2026.",
      "O treinador Rui Matos foi contratado pelo Vila Clara em 12 de julho de 2026.",
    ],
    NO: ["O Vila Clara contratou o treinador Rui Matos em 12 de agosto de 2026."],
    "": [
      "O Vila Clara demitiu o treinador Rui Matos em 12 de julho de 2026.",
      "O Vila Nova contratou o treinador Rui Matos em 12 de julho de 2026.",
      "O Vila Clara quer contratar o treinador Rui Matos em 12 de julho de 2026.",
      "O Vila Clara contratou o auxiliar do treinador Rui Matos em 12 de julho de 2026.",
      "O Vila Clara desistiu de contratar o treinador Rui Matos em 12 de julho de 2026.",
    ],
    "YES?": ["O Vila Clara contratou o jogador Rui Matos em 12 de julho de 2026."],
  },
});
