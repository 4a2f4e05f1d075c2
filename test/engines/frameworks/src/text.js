/** The words that every scene has. */
export const TITLE = "The ferry between the mill and the harbour";
export const PARAGRAPHS = [
  "The ferry has crossed the valley's river since the year in which the old bridge fell, and its timetable has changed only twice.",
  "In the morning it carries people who work in the shipyard, and at noon the children of the school on the eastern bank.",
  "Its engine was built by two brothers who never agreed on anything except the shape of a propeller and the price of coal.",
  "When the water is high the crossing takes eleven minutes; when it is low the boat waits for the tide beside the granary.",
  "A ticket costs as much as a loaf of bread, which the council decides each spring in a meeting that everybody attends.",
  "Visitors are asked to keep to the left of the gangway, to hold their hats, and to greet the captain by her first name.",
];
