/** Names, labels and phrases of the generated pages, by language. */

export interface Language {
  readonly tag: string;
  readonly group: string;
  readonly decimal: string;
  /** The amount as the language writes it. */
  readonly money: (amount: string, currency: string) => string;
  readonly months: readonly string[];
  /** A date in words. */
  readonly date: (day: number, month: string, year: number) => string;
  readonly labels: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

const SIGNS: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£", PLN: "zł", BRL: "R$", JPY: "¥" };
const after = (amount: string, currency: string) => `${amount} ${SIGNS[currency] ?? currency}`;
const before = (amount: string, currency: string) => `${SIGNS[currency] ?? currency}${amount}`;

const KEYS = [
  "price",
  "brand",
  "sku",
  "color",
  "weight",
  "material",
  "availability",
  "rating",
  "company",
  "location",
  "employment",
  "salary",
  "posted",
  "deadline",
  "author",
  "published",
  "section",
  "prep",
  "cook",
  "servings",
  "ingredients",
  "start",
  "end",
  "venue",
  "city",
  "organizer",
  "email",
  "phone",
  "position",
  "born",
  "tags",
  "warranty",
];

function labelled(line: string): Readonly<Record<string, string>> {
  return Object.fromEntries(line.split("|").map((label, at) => [KEYS[at] ?? "", label]));
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

export const LANGUAGES: readonly Language[] = [
  {
    tag: "en-US",
    group: ",",
    decimal: ".",
    money: before,
    months: words("January February March April May June July August September October November December"),
    date: (day, month, year) => `${month} ${day}, ${year}`,
    labels: labelled(
      "Price|Brand|SKU|Color|Weight|Material|Availability|Rating|Company|Location|Employment type|Salary|Date posted|Application deadline|Author|Published|Section|Prep time|Cook time|Servings|Ingredients|Start date|End date|Venue|City|Organizer|Email|Phone|Position|Date of birth|Tags|Warranty",
    ),
    words: words(
      "Amber Falcon Ridge Summit Harbor Maple Cobalt Willow Granite Meadow Copper Lantern Orchard Canyon Juniper Velvet",
    ),
  },
  {
    tag: "en-GB",
    group: ",",
    decimal: ".",
    money: before,
    months: words("January February March April May June July August September October November December"),
    date: (day, month, year) => `${day} ${month} ${year}`,
    labels: labelled(
      "Our price|Manufacturer|Product code|Colour|Item weight|Material|Stock|Average rating|Employer|Job location|Contract type|Pay|Posted on|Closing date|Written by|Published on|Topic|Preparation time|Cooking time|Serves|Ingredients|Starts|Ends|Where|Town|Host|E-mail|Telephone|Role|Born|Keywords|Guarantee",
    ),
    words: words(
      "Thistle Bramble Heath Kestrel Marlow Pebble Quarry Rowan Sorrel Tamsin Wharf Yarrow Alder Birch Clover Dunes",
    ),
  },
  {
    tag: "de-DE",
    group: ".",
    decimal: ",",
    money: after,
    months: words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    date: (day, month, year) => `${day}. ${month} ${year}`,
    labels: labelled(
      "Preis|Marke|Artikelnummer|Farbe|Gewicht|Material|Verfügbarkeit|Bewertung|Unternehmen|Standort|Anstellungsart|Gehalt|Veröffentlicht am|Bewerbungsfrist|Autor|Veröffentlicht|Ressort|Vorbereitungszeit|Kochzeit|Portionen|Zutaten|Beginn|Ende|Veranstaltungsort|Stadt|Veranstalter|E-Mail|Telefon|Position|Geburtsdatum|Schlagwörter|Garantie",
    ),
    words: words("Ahorn Birke Dachs Eiche Falke Garten Hafen Insel Kiesel Linde Morgen Nebel Quelle Rabe Silber Tanne"),
  },
  {
    tag: "fr-FR",
    group: " ",
    decimal: ",",
    money: after,
    months: words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    date: (day, month, year) => `${day} ${month} ${year}`,
    labels: labelled(
      "Prix|Marque|Référence|Couleur|Poids|Matière|Disponibilité|Note|Entreprise|Lieu|Type de contrat|Salaire|Publiée le|Date limite|Auteur|Publié le|Rubrique|Temps de préparation|Temps de cuisson|Portions|Ingrédients|Début|Fin|Lieu|Ville|Organisateur|E-mail|Téléphone|Poste|Date de naissance|Mots-clés|Garantie",
    ),
    words: words(
      "Aubépine Bruyère Cerise Dune Étoile Fougère Genêt Houx Iris Jardin Lierre Mistral Noyer Olivier Pivoine Rivage",
    ),
  },
  {
    tag: "es-ES",
    group: ".",
    decimal: ",",
    money: after,
    months: words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    date: (day, month, year) => `${day} de ${month} de ${year}`,
    labels: labelled(
      "Precio|Marca|Referencia|Color|Peso|Material|Disponibilidad|Valoración|Empresa|Ubicación|Tipo de contrato|Salario|Fecha de publicación|Fecha límite|Autor|Publicado el|Sección|Tiempo de preparación|Tiempo de cocción|Raciones|Ingredientes|Inicio|Fin|Lugar|Ciudad|Organizador|Correo electrónico|Teléfono|Cargo|Fecha de nacimiento|Etiquetas|Garantía",
    ),
    words: words(
      "Alondra Brisa Camino Duna Encina Faro Granada Higuera Isla Jazmín Laurel Marea Nogal Olivo Pinar Ribera",
    ),
  },
  {
    tag: "it-IT",
    group: ".",
    decimal: ",",
    money: after,
    months: words("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    date: (day, month, year) => `${day} ${month} ${year}`,
    labels: labelled(
      "Prezzo|Marca|Codice articolo|Colore|Peso|Materiale|Disponibilità|Valutazione|Azienda|Sede|Contratto|Retribuzione|Pubblicato il|Scadenza|Autore|Pubblicato il|Sezione|Preparazione|Cottura|Porzioni|Ingredienti|Inizio|Fine|Luogo|Città|Organizzatore|E-mail|Telefono|Ruolo|Data di nascita|Parole chiave|Garanzia",
    ),
    words: words(
      "Acero Bosco Cedro Dorato Edera Fiume Ginepro Laguna Mirto Nuvola Onda Pietra Quercia Riva Salice Tramonto",
    ),
  },
  {
    tag: "nl-NL",
    group: ".",
    decimal: ",",
    money: (amount) => `€ ${amount}`,
    months: words("januari februari maart april mei juni juli augustus september oktober november december"),
    date: (day, month, year) => `${day} ${month} ${year}`,
    labels: labelled(
      "Prijs|Merk|Artikelnummer|Kleur|Gewicht|Materiaal|Beschikbaarheid|Beoordeling|Bedrijf|Locatie|Dienstverband|Salaris|Geplaatst op|Sluitingsdatum|Auteur|Gepubliceerd|Rubriek|Voorbereidingstijd|Kooktijd|Porties|Ingrediënten|Aanvang|Einde|Waar|Stad|Organisator|E-mail|Telefoon|Functie|Geboortedatum|Trefwoorden|Garantie",
    ),
    words: words("Anker Beuk Dijk Eik Fluit Gracht Haven Iep Kade Linde Molen Nevel Oever Polder Rietveld Spaarne"),
  },
  {
    tag: "pl-PL",
    group: " ",
    decimal: ",",
    money: after,
    months: words("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
    date: (day, month, year) => `${day} ${month} ${year}`,
    labels: labelled(
      "Cena|Marka|Numer katalogowy|Kolor|Waga|Materiał|Dostępność|Ocena|Firma|Lokalizacja|Rodzaj umowy|Wynagrodzenie|Data publikacji|Termin|Autor|Opublikowano|Dział|Czas przygotowania|Czas gotowania|Porcje|Składniki|Początek|Koniec|Miejsce|Miasto|Organizator|E-mail|Telefon|Stanowisko|Data urodzenia|Tagi|Gwarancja",
    ),
    words: words(
      "Brzoza Cedr Dolina Gwiazda Jawor Klon Lipa Mgła Niebo Olcha Paproć Rzeka Sosna Topola Wierzba Zatoka",
    ),
  },
];
