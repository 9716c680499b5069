// SPDX-License-Identifier: Apache-2.0
// Multiplies a matrix by the one that shifts its rows, in typed arrays; the result is known.
const size = 48;
for (let round = 0; round < Number(scriptArgs[1]); round++) {
  const a = new Float64Array(size * size).map((_, n) => (n * 7) % 11);
  const shift = new Float64Array(size * size);
  for (let row = 0; row < size; row++) shift[row * size + ((row + 1) % size)] = 1;
  const product = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += shift[i * size + k] * a[k * size + j];
      product[i * size + j] = sum;
    }
  }
  if (product.some((value, n) => value !== a[(n + size) % (size * size)])) throw new Error("wrong product");
}
