// Generated from rtl/ipc/backdoor/data/backdoor.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0

// verilator lint_off UNUSEDPARAM
package cl_backdoor_pkg;

  localparam int unsigned StatusWordRunningLsb = 0;
  localparam int unsigned StatusWordRunningWidth = 1;
  localparam int unsigned StatusWordDmaBusyLsb = 1;
  localparam int unsigned StatusWordDmaBusyWidth = 1;
  localparam int unsigned StatusWordMailRoomLsb = 2;
  localparam int unsigned StatusWordMailRoomWidth = 1;
  localparam int unsigned StatusWordMailWaitingLsb = 3;
  localparam int unsigned StatusWordMailWaitingWidth = 1;
  localparam int unsigned MailWordRoomLsb = 0;
  localparam int unsigned MailWordRoomWidth = 8;
  localparam int unsigned MailWordWaitingLsb = 8;
  localparam int unsigned MailWordWaitingWidth = 8;
  localparam int unsigned NearErrorWordMailFullLsb = 0;
  localparam int unsigned NearErrorWordMailFullWidth = 1;
  localparam int unsigned NearErrorWordMailEmptyLsb = 1;
  localparam int unsigned NearErrorWordMailEmptyWidth = 1;
  localparam int unsigned NearErrorWordMailHeldLsb = 2;
  localparam int unsigned NearErrorWordMailHeldWidth = 1;
  localparam int unsigned NearErrorWordHeldLsb = 3;
  localparam int unsigned NearErrorWordHeldWidth = 1;
  localparam int unsigned FarErrorWordMailFullLsb = 0;
  localparam int unsigned FarErrorWordMailFullWidth = 1;
  localparam int unsigned FarErrorWordMailEmptyLsb = 1;
  localparam int unsigned FarErrorWordMailEmptyWidth = 1;
  localparam int unsigned FarErrorWordDmaBusyLsb = 2;
  localparam int unsigned FarErrorWordDmaBusyWidth = 1;
  localparam int unsigned FarErrorWordWindowBusyLsb = 3;
  localparam int unsigned FarErrorWordWindowBusyWidth = 1;
  localparam int unsigned DmaStatusWordBusyLsb = 0;
  localparam int unsigned DmaStatusWordBusyWidth = 1;
  localparam int unsigned DmaStatusWordDoneLsb = 1;
  localparam int unsigned DmaStatusWordDoneWidth = 1;
  localparam int unsigned DmaStatusWordErrorLsb = 4;
  localparam int unsigned DmaStatusWordErrorWidth = 4;
  localparam int unsigned WindowWordWritableLsb = 0;
  localparam int unsigned WindowWordWritableWidth = 1;
  localparam int unsigned WindowWordWordsLsb = 2;
  localparam int unsigned WindowWordWordsWidth = 30;
  localparam int unsigned WindowStartWordWordsLsb = 0;
  localparam int unsigned WindowStartWordWordsWidth = 20;
  localparam int unsigned WindowStartWordUpLsb = 31;
  localparam int unsigned WindowStartWordUpWidth = 1;
  localparam int unsigned WindowStatusWordBusyLsb = 0;
  localparam int unsigned WindowStatusWordBusyWidth = 1;
  localparam int unsigned WindowStatusWordErrorLsb = 4;
  localparam int unsigned WindowStatusWordErrorWidth = 3;
  localparam int unsigned DescriptorControlWordsLsb = 0;
  localparam int unsigned DescriptorControlWordsWidth = 24;
  localparam int unsigned DescriptorControlOpLsb = 28;
  localparam int unsigned DescriptorControlOpWidth = 2;
  localparam int unsigned DescriptorControlLastLsb = 31;
  localparam int unsigned DescriptorControlLastWidth = 1;
  localparam int unsigned CommandWordCodeLsb = 0;
  localparam int unsigned CommandWordCodeWidth = 8;
  localparam int unsigned CommandWordNumberLsb = 8;
  localparam int unsigned CommandWordNumberWidth = 24;
  localparam int unsigned NearBase = 32'he2000000;
  localparam int unsigned DownOffset = 1048576;
  localparam int unsigned UpOffset = 2097152;
  localparam int unsigned FarBase = 32'hf0300000;
  localparam int unsigned IdWord = 1129071172;
  localparam int unsigned Words = 4;
  localparam int unsigned Line = 4;
  localparam int unsigned RomBase = 268435456;
  localparam int unsigned MemoryBase = 1073741824;
  localparam int unsigned LoaderBytes = 4096;
  localparam int unsigned ImageWord = 1230130243;
  localparam int unsigned AreaBytes = 1024;
  localparam int unsigned ReportBytes = 64;
  localparam int unsigned Doorbell = 0;

  localparam logic [7:0] NearId = 8'h00;
  localparam logic [7:0] NearSize = 8'h04;
  localparam logic [7:0] NearControl = 8'h08;
  localparam logic [7:0] NearStatus = 8'h0c;
  localparam logic [7:0] NearError = 8'h10;
  localparam logic [7:0] NearBellRing = 8'h20;
  localparam logic [7:0] NearBellPending = 8'h24;
  localparam logic [7:0] NearBellClear = 8'h28;
  localparam logic [7:0] NearBellTake = 8'h34;
  localparam logic [7:0] NearBellEnable = 8'h2c;
  localparam logic [7:0] NearBellMerged = 8'h30;
  localparam logic [7:0] NearMailSend = 8'h40;
  localparam logic [7:0] NearMailReceive = 8'h44;
  localparam logic [7:0] NearMailCount = 8'h48;
  localparam logic [7:0] NearWord = 8'h60;
  localparam logic [7:0] NearFarWord = 8'h70;
  localparam logic [7:0] NearFarPc = 8'h80;
  localparam logic [7:0] NearFarDma = 8'h84;
  localparam logic [7:0] NearFarDownBytes = 8'h88;
  localparam logic [7:0] NearFarUpBytes = 8'h8c;
  localparam logic [7:0] NearFarDmaCycles = 8'h90;
  localparam logic [7:0] NearDownBytes = 8'h94;
  localparam logic [7:0] NearUpBytes = 8'h98;
  localparam logic [7:0] NearWindowBase = 8'ha0;
  localparam logic [7:0] NearWindow = 8'ha4;
  localparam logic [7:0] NearWindowWords = 8'ha8;

  localparam logic [7:0] FarId = 8'h00;
  localparam logic [7:0] FarSize = 8'h04;
  localparam logic [7:0] FarMemory = 8'h08;
  localparam logic [7:0] FarError = 8'h10;
  localparam logic [7:0] FarBellRing = 8'h20;
  localparam logic [7:0] FarBellPending = 8'h24;
  localparam logic [7:0] FarBellClear = 8'h28;
  localparam logic [7:0] FarBellTake = 8'h34;
  localparam logic [7:0] FarBellEnable = 8'h2c;
  localparam logic [7:0] FarMailSend = 8'h40;
  localparam logic [7:0] FarMailReceive = 8'h44;
  localparam logic [7:0] FarMailCount = 8'h48;
  localparam logic [7:0] FarWord = 8'h60;
  localparam logic [7:0] FarNearWord = 8'h70;
  localparam logic [7:0] FarDmaList = 8'h80;
  localparam logic [7:0] FarDmaStatus = 8'h84;
  localparam logic [7:0] FarDmaClear = 8'h88;
  localparam logic [7:0] FarDmaEnable = 8'h8c;
  localparam logic [7:0] FarDmaCrc = 8'h90;
  localparam logic [7:0] FarDownBytes = 8'h94;
  localparam logic [7:0] FarUpBytes = 8'h98;
  localparam logic [7:0] FarDmaCycles = 8'h9c;
  localparam logic [7:0] FarBusError = 8'ha0;
  localparam logic [7:0] FarBusErrorClear = 8'ha4;
  localparam logic [7:0] FarBusErrorAddress = 8'ha8;
  localparam logic [7:0] FarBusErrorPc = 8'hac;
  localparam logic [7:0] FarWindow = 8'hb0;
  localparam logic [7:0] FarWindowOffset = 8'hb4;
  localparam logic [7:0] FarWindowBlock = 8'hb8;
  localparam logic [7:0] FarWindowStart = 8'hbc;
  localparam logic [7:0] FarWindowStatus = 8'hc0;

  typedef enum logic [1:0] {
    DmaOpDown = 2'd0,
    DmaOpUp = 2'd1,
    DmaOpCheck = 2'd2
  } dma_op_e;

  typedef enum logic [3:0] {
    DmaErrorNone = 4'd0,
    DmaErrorMemory = 4'd1,
    DmaErrorBlock = 4'd2,
    DmaErrorList = 4'd3,
    DmaErrorOp = 4'd4
  } dma_error_e;

  typedef enum logic [2:0] {
    WindowErrorNone = 3'd0,
    WindowErrorWindow = 3'd1,
    WindowErrorWrite = 3'd2,
    WindowErrorBlock = 3'd3,
    WindowErrorCut = 3'd4,
    WindowErrorMemory = 3'd5
  } window_error_e;

endpackage
// verilator lint_on UNUSEDPARAM
