// SPDX-License-Identifier: Apache-2.0
// Sorts numbers by the engine's sort and by a merge sort of its own, which must agree.
let seed = 1;
function random() {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed;
}

function merged(values) {
  if (values.length < 2) return values;
  const middle = values.length >> 1;
  const left = merged(values.slice(0, middle));
  const right = merged(values.slice(middle));
  const result = [];
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    result.push(j === right.length || (i < left.length && left[i] <= right[j]) ? left[i++] : right[j++]);
  }
  return result;
}

for (let round = 0; round < Number(scriptArgs[1]); round++) {
  const values = Array.from({ length: 4000 }, random);
  const ours = merged(values);
  const theirs = values.slice().sort((a, b) => a - b);
  if (ours.some((value, n) => value !== theirs[n])) throw new Error("not sorted");
}
