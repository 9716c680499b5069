/* SPDX-License-Identifier: Apache-2.0
 *
 * mpeg4: encodes FRAMES frames of a moving pattern (MPEG-4 part 2, by the Xvid library), each frame after its length.
 * -p: plays such a file in a loop until SIGTERM: decodes 25 frames a second, drops those it is late for, and keeps in
 * COUNTER how many were shown and how many dropped (two 64-bit words). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xvid.h>

#include "program.h"

enum { WIDTH = 352, HEIGHT = 288, FPS = 25, ROOM = 2 * WIDTH * HEIGHT };

#define PERIOD (1.0 / (int)FPS)

static const char how[] = "mpeg4 -o FILE FRAMES | mpeg4 -p FILE -c COUNTER";
static unsigned char picture[WIDTH * HEIGHT * 3 / 2], stream[ROOM];

static xvid_image_t image(void) {
  xvid_image_t made = {.csp = XVID_CSP_I420, .plane = {picture}, .stride = {WIDTH}};
  return made;
}

/* Slopes and a texture that move at two speeds: something to estimate, and something to code. */
static void draw(int frame) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int far = x + 3 * frame, near = (x - 2 * frame) * 7 + y * 13;
      picture[y * WIDTH + x] = (unsigned char)((((far ^ y) & 64) ? 120 : 60) + ((near >> 3) & 31) + ((y + frame) & 15));
    }
  for (int i = WIDTH * HEIGHT; i < (int)sizeof picture; i++) picture[i] = (unsigned char)(96 + ((i + frame) & 63));
}

static int encode(const char *file, int frames) {
  FILE *out = fopen(file, "we");
  if (out == NULL) return failed("mpeg4", file);
  xvid_enc_create_t encoder = {.version = XVID_VERSION,
                               .width = WIDTH,
                               .height = HEIGHT,
                               .fincr = 1,
                               .fbase = FPS,
                               .max_key_interval = 10 * FPS};
  if (xvid_encore(NULL, XVID_ENC_CREATE, &encoder, NULL)) return 1;
  long bytes = 0;
  for (int n = 0; n < frames; n++) {
    draw(n);
    xvid_enc_frame_t frame = {.version = XVID_VERSION,
                              .input = image(),
                              .bitstream = stream,
                              .length = ROOM,
                              .quant = 4,
                              .type = XVID_TYPE_AUTO,
                              .vop_flags = XVID_VOP_HALFPEL | XVID_VOP_HQACPRED,
                              .motion = XVID_ME_ADVANCEDDIAMOND16 | XVID_ME_HALFPELREFINE16};
    int length = xvid_encore(encoder.handle, XVID_ENC_ENCODE, &frame, NULL);
    if (length <= 0 || fwrite(&length, sizeof length, 1, out) != 1 || fwrite(stream, (size_t)length, 1, out) != 1)
      return 1;
    bytes += length;
  }
  xvid_encore(encoder.handle, XVID_ENC_DESTROY, NULL, NULL);
  printf("{\"program\": \"mpeg4\", \"frames\": %d, \"bytes\": %ld}\n", frames, bytes);
  return fclose(out) ? failed("mpeg4", file) : 0;
}

static int play(const char *file, const char *counter) {
  int fd = open(file, O_RDONLY | O_CLOEXEC), counts = open(counter, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  struct stat about;
  if (fd < 0 || fstat(fd, &about) || counts < 0 || ftruncate(counts, 2 * sizeof(uint64_t)))
    return failed("mpeg4", file);
  size_t size = (size_t)about.st_size;
  unsigned char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  volatile uint64_t *shown = mmap(NULL, 2 * sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
  if (data == MAP_FAILED || shown == MAP_FAILED) return failed("mpeg4", file);
  xvid_dec_create_t decoder = {.version = XVID_VERSION, .width = WIDTH, .height = HEIGHT};
  if (xvid_decore(NULL, XVID_DEC_CREATE, &decoder, NULL)) return 1;
  double due = now(CLOCK_MONOTONIC);
  for (size_t at = 0; !stopped;) {
    int length;
    memcpy(&length, data + at, sizeof length);
    xvid_dec_frame_t frame = {
        .version = XVID_VERSION, .bitstream = data + at + sizeof length, .length = length, .output = image()};
    if (xvid_decore(decoder.handle, XVID_DEC_DECODE, &frame, NULL) < 0) return 1;
    at += sizeof length + (size_t)length;
    if (at + sizeof length > size) at = 0; /* the first is a key frame */
    double ready = now(CLOCK_MONOTONIC);
    due += PERIOD;
    if (ready < due) {
      ++shown[0];
      rest(due - ready);
    } else { /* too late: the film goes on from here */
      shown[1] += 1 + (uint64_t)((ready - due) / PERIOD);
      due = ready;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *out = NULL, *in = NULL, *counter = NULL;
  for (int option; (option = getopt(argc, argv, "o:p:c:")) != -1;) {
    if (option == 'o') out = optarg;
    else if (option == 'p') in = optarg;
    else if (option == 'c') counter = optarg;
    else usage(how);
  }
  if ((out != NULL) == (in != NULL) || (in != NULL) != (counter != NULL)) usage(how);
  xvid_gbl_init_t init = {.version = XVID_VERSION};
  xvid_global(NULL, XVID_GBL_INIT, &init, NULL);
  stop_on_signals();
  if (out != NULL) return encode(out, (int)last_number(argv, 1, how));
  return play(in, counter);
}
