import { describeSides } from "../testing/describe-sides.ts";

/** Questions about decisions, elections and openings in five languages beside English. */
describeSides({
  "Hat der Stadtrat von Lindau den Neubau der Brücke bis zum 30. Juni 2026 genehmigt?": {
    YES: [
      "Der Stadtrat von Lindau hat den Neubau der Brücke am 12. Juni 2026 genehmigt.",
      "Der Lindauer Stadtrat genehmigte am 12. Juni 2026 den Neubau der Brücke.",
      "Der Neubau der Brücke wurde am 12. Juni 2026 vom Stadtrat von Lindau genehmigt.",
    ],
    NO: ["Der Stadtrat von Lindau hat den Neubau der Brücke am 12. Juni 2026 abgelehnt."],
    "NO?": ["Der Stadtrat von Lindau hat den Neubau der Brücke erst am 12. Juli 2026 genehmigt."],
    "": [
      "Der Stadtrat von Lindau hat den Abriss der Brücke am 12. Juni 2026 genehmigt.",
      "Der Bauausschuss des Stadtrats von Lindau hat den Neubau der Brücke am 12. Juni 2026 genehmigt.",
      "Der Stadtrat von Bregenz hat den Neubau der Brücke am 12. Juni 2026 genehmigt.",
      "Der Stadtrat von Lindau soll den Neubau der Brücke am 12. Juni 2026 genehmigen.",
      "Der Stadtrat von Lindau hat am 12. Juni 2026 über den Neubau der Brücke beraten.",
      "Der Stadtrat von Lindau hat die Planung für den Neubau der Brücke am 12. Juni 2026 genehmigt.",
      "Der Stadtrat von Lindau hat den Antrag auf Ablehnung des Neubaus der Brücke am 12. Juni 2026 genehmigt.",
    ],
    "YES?": [
      "Der Stadtrat von Lindau hatte den Neubau der Brücke genehmigt, bevor ihn das Gericht am 12. Juni 2026 stoppte.",
    ],
  },
  "Hat Anna Berger die Bürgermeisterwahl in Seefeld im September 2026 gewonnen?": {
    YES: [
      "Anna Berger hat die Bürgermeisterwahl in Seefeld am 13. September 2026 gewonnen.",
      "Anna Berger wurde am 13. September 2026 zur Bürgermeisterin von Seefeld gewählt.",
    ],
    "NO?": ["Anna Berger hat die Bürgermeisterwahl in Seefeld am 13. September 2026 verloren."],
    NO: ["Jonas Keller hat die Bürgermeisterwahl in Seefeld am 13. September 2026 gewonnen."],
    "": [
      "Anna Berger hat die Bürgermeisterwahl in Murnau am 13. September 2026 gewonnen.",
      "Anna Berger liegt bei der Bürgermeisterwahl in Seefeld vorn.",
      "Anna Berger zog am 13. September 2026 in die Stichwahl der Bürgermeisterwahl in Seefeld ein.",
      "Petra Berger hat die Bürgermeisterwahl in Seefeld am 13. September 2026 gewonnen.",
      "Anna Berger hat die Landratswahl in Seefeld am 13. September 2026 gewonnen.",
      "Anna Bergers Partei hat die Gemeinderatswahl in Seefeld am 13. September 2026 gewonnen.",
      "Anna Berger hat Chancen, die Bürgermeisterwahl in Seefeld am 13. September 2026 zu gewinnen.",
    ],
    "YES?": ["Anna Berger hätte die Bürgermeisterwahl in Seefeld am 13. September 2026 gewonnen."],
  },
  "La cour d'appel de Valmont a-t-elle annulé la condamnation de Paul Renard en 2026 ?": {
    YES: [
      "La cour d'appel de Valmont a annulé la condamnation de Paul Renard le 3 mars 2026.",
      "La condamnation de Paul Renard a été annulée par la cour d'appel de Valmont le 3 mars 2026.",
    ],
    NO: ["La cour d'appel de Valmont a confirmé la condamnation de Paul Renard le 3 mars 2026."],
    "": [
      "La cour d'appel de Valmont a annulé l'acquittement de Paul Renard le 3 mars 2026.",
      "La cour d'appel de Valmont a annulé la condamnation de Luc Renard le 3 mars 2026.",
      "La cour d'appel de Valmont a refusé d'annuler la condamnation de Paul Renard le 3 mars 2026.",
      "La cour d'appel de Lestang a annulé la condamnation de Paul Renard le 3 mars 2026.",
      "La cour d'appel de Valmont doit annuler la condamnation de Paul Renard, selon son avocat.",
      "La cour d'appel de Valmont examinera la condamnation de Paul Renard le 3 mars 2026.",
      "La cour d'appel de Valmont a annulé une audience sur la condamnation de Paul Renard le 3 mars 2026.",
    ],
    "YES?": [
      "La cour de cassation a cassé l'arrêt de la cour d'appel de Valmont qui avait annulé la condamnation de Paul Renard.",
    ],
  },
  "L'entreprise Sablier a-t-elle licencié plus de 500 salariés en 2026 ?": {
    YES: ["L'entreprise Sablier a licencié 620 salariés en 2026."],
    "NO?": ["L'entreprise Sablier a licencié 300 salariés en 2026."],
    "": [
      "L'entreprise Sablier a embauché 620 salariés en 2026.",
      "L'entreprise Sablier prévoit de licencier 620 salariés en 2026.",
      "L'entreprise Sablier a licencié 620 salariés en 2024.",
      "L'entreprise Sablon a licencié 620 salariés en 2026.",
      "L'entreprise Sablier emploie 620 salariés en 2026.",
      "Les syndicats craignent que l'entreprise Sablier licencie 620 salariés en 2026.",
      "L'entreprise Sablier a renoncé à licencier 620 salariés en 2026.",
    ],
  },
  "¿Ganó el Atlético Rivera la Copa del Valle en 2026?": {
    YES: [
      "El Atlético Rivera ganó la Copa del Valle en 2026.",
      "El Atlético Rivera se proclamó campeón de la Copa del Valle el 3 de mayo de 2026.",
      "El Atlético Rivera venció al Real Sierra en la final de la Copa del Valle el 3 de mayo de 2026.",
    ],
    NO: [
      "El Atlético Rivera perdió la final de la Copa del Valle el 3 de mayo de 2026.",
      "El Real Sierra ganó la Copa del Valle en 2026.",
    ],
    "": [
      "El Atlético Rivera ganó la semifinal de la Copa del Valle el 3 de mayo de 2026.",
      "El Atlético Rivera ganó la Copa del Lago en 2026.",
      "El Atlético Rivera ganó la Copa del Valle en 2016.",
      "El filial del Atlético Rivera ganó la Copa del Valle en 2026.",
      "El Atlético Sierra ganó la Copa del Valle en 2026.",
      "El Atlético Rivera puede ganar la Copa del Valle en 2026.",
      "El Atlético Rivera ganó un partido de la Copa del Valle el 3 de mayo de 2026.",
    ],
    "YES?": ["El Atlético Rivera femenino ganó la Copa del Valle en 2026."],
  },
  "¿Dimitió la ministra Elena Soto antes del 1 de julio de 2026?": {
    YES: ["La ministra Elena Soto dimitió el 12 de junio de 2026."],
    "YES?": ["La ministra Elena Soto presentó su dimisión el 12 de junio de 2026."],
    NO: ["La ministra Elena Soto dimitió el 12 de julio de 2026."],
    "": [
      "La oposición pidió la dimisión de la ministra Elena Soto el 12 de junio de 2026.",
      "La ministra Elena Soto descartó dimitir el 12 de junio de 2026.",
      "La ministra Elena Soto aceptó la dimisión de su asesor el 12 de junio de 2026.",
      "El marido de la ministra Elena Soto dimitió el 12 de junio de 2026.",
      "La ministra Ana Soto dimitió el 12 de junio de 2026.",
      "La ministra Elena Soto dimitió como presidenta del club el 12 de junio de 2026.",
    ],
  },
  "Il Comune di Montelago ha venduto il castello nel 2026?": {
    YES: [
      "Il Comune di Montelago ha venduto il castello il 3 marzo 2026.",
      "Il castello è stato venduto dal Comune di Montelago il 3 marzo 2026.",
    ],
    "": [
      "Il Comune di Montelago ha comprato il castello il 3 marzo 2026.",
      "Il Comune di Montelago ha venduto i mobili del castello il 3 marzo 2026.",
      "Il Comune di Valdora ha venduto il castello il 3 marzo 2026.",
      "Il Comune di Montelago vuole vendere il castello nel 2026.",
      "Il Comune di Montelago ha messo in vendita il castello il 3 marzo 2026.",
      "Il Comune di Montelago ha deciso di non vendere il castello il 3 marzo 2026.",
      "Il consiglio ha chiesto al Comune di Montelago di vendere il castello il 3 marzo 2026.",
    ],
  },
  "A Câmara de Vila Clara aprovou o orçamento até 31 de março de 2026?": {
    YES: [
      "A Câmara de Vila Clara aprovou o orçamento em 12 de março de 2026.",
      "O orçamento foi aprovado pela Câmara de Vila Clara em 12 de março de 2026.",
    ],
    NO: [
      "A Câmara de Vila Clara rejeitou o orçamento em 12 de março de 2026.",
      "A Câmara de Vila Clara aprovou o orçamento em 12 de abril de 2026.",
    ],
    "": [
      "A Câmara de Vila Clara adiou a votação do orçamento em 12 de março de 2026.",
      "A Câmara de Vila Nova aprovou o orçamento em 12 de março de 2026.",
      "A comissão de finanças da Câmara de Vila Clara aprovou o orçamento em 12 de março de 2026.",
      "A Câmara de Vila Clara aprovou uma emenda ao orçamento em 12 de março de 2026.",
      "A Câmara de Vila Clara deve aprovar o orçamento em 12 de março de 2026.",
      "A Câmara de Vila Clara aprovou o orçamento de 2025 em 12 de março de 2025.",
      "A oposição na Câmara de Vila Clara aprovou o orçamento em 12 de março de 2026.",
    ],
  },
  "Wurde die Linie 7 der U-Bahn in Rodenau vor dem 1. Oktober 2026 eröffnet?": {
    YES: ["Die Linie 7 der U-Bahn in Rodenau wurde am 12. September 2026 eröffnet."],
    NO: ["Die Linie 7 der U-Bahn in Rodenau wurde am 3. Oktober 2026 eröffnet."],
    "": [
      "Die Linie 8 der U-Bahn in Rodenau wurde am 12. September 2026 eröffnet.",
      "Die Linie 7 der Straßenbahn in Rodenau wurde am 12. September 2026 eröffnet.",
      "Ein Bahnhof der Linie 7 der U-Bahn in Rodenau wurde am 12. September 2026 eröffnet.",
      "Die Linie 7 der U-Bahn in Rodenau wird am 12. September 2026 eröffnet.",
      "Das Verfahren zur Linie 7 der U-Bahn in Rodenau wurde am 12. September 2026 eröffnet.",
      "Eine Ausstellung über die Linie 7 der U-Bahn in Rodenau wurde am 12. September 2026 eröffnet.",
      "Die Linie 7 der U-Bahn in Waldsee wurde am 12. September 2026 eröffnet.",
    ],
  },
});
