// SPDX-License-Identifier: Apache-2.0
// Makes a text, counts its words and turns each of them round, by strings, a map and a regular expression.
const syllables = ["ka", "ro", "mi", "tel", "un", "sa", "vor", "ine"];
let seed = 1;
function next(count) {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % count;
}

for (let round = 0; round < Number(scriptArgs[1]); round++) {
  let text = "";
  for (let n = 0; n < 2500; n++) {
    for (let part = next(3); part >= 0; part--) text += syllables[next(syllables.length)];
    text += next(9) ? " " : ". ";
  }
  const counts = new Map();
  for (const word of text.match(/[a-z]+/g)) counts.set(word, (counts.get(word) || 0) + 1);
  const turned = text.replace(/[a-z]+/g, (word) => word.split("").reverse().join(""));
  let total = 0;
  for (const count of counts.values()) total += count;
  if (total !== 2500 || turned.length !== text.length) throw new Error("words are lost");
}
