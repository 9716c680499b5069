// SPDX-License-Identifier: Apache-2.0
// Makes of a cover the assertion that it is never reached: what breaks the assertion reaches the cover.
(* techmap_celltype = "$cover" *)
module never (A, EN);
  input A, EN;
  $assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));
endmodule
