/* SPDX-License-Identifier: Apache-2.0
 *
 * mpeg4: encodes FRAMES frames of an MPEG-1 clip, over and over (MPEG-4 part 2, by the Xvid library), each frame after
 * its length.
 * -p: plays a clip of either kind in a loop until SIGTERM: decodes 25 frames a second, drops those it is late for, and
 * keeps in COUNTER how many were shown and how many dropped (two 64-bit words). */
#define _GNU_SOURCE
#include "program.h"

#include <fcntl.h>
#include <mpeg2dec/mpeg2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xvid.h>

enum { WIDTH = 352, HEIGHT = 288, FPS = 25, ROOM = 2 * WIDTH * HEIGHT };

#define PERIOD (1.0 / (int)FPS)

static const char how[] = "mpeg4 -i CLIP -o FILE FRAMES | mpeg4 -p CLIP -c COUNTER";
static unsigned char picture[WIDTH * HEIGHT * 3 / 2], stream[ROOM];

/* A clip that is decoded over and over. */
struct clip {
  unsigned char *data;
  size_t size, at;
  mpeg2dec_t *mpeg1;
  void *mpeg4;
};

static bool opened(struct clip *clip, const char *file) {
  static const unsigned char sequence[] = {0, 0, 1, 0xb3}; /* how an MPEG-1 stream begins */
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd < 0 || fstat(fd, &about)) return false;
  clip->size = (size_t)about.st_size;
  clip->data = mmap(NULL, clip->size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (clip->data == MAP_FAILED || clip->size < sizeof sequence) return false;
  if (memcmp(clip->data, sequence, sizeof sequence) == 0) return (clip->mpeg1 = mpeg2_init()) != NULL;
  xvid_dec_create_t decoder = {.version = XVID_VERSION, .width = WIDTH, .height = HEIGHT};
  if (xvid_decore(NULL, XVID_DEC_CREATE, &decoder, NULL)) return false;
  clip->mpeg4 = decoder.handle;
  return true;
}

/* The next picture of an MPEG-1 clip; NULL: it is not one of the right size. */
static unsigned char *const *mpeg1_picture(struct clip *clip) {
  const mpeg2_info_t *info = mpeg2_info(clip->mpeg1);
  for (;;) switch (mpeg2_parse(clip->mpeg1)) {
      case STATE_BUFFER: mpeg2_buffer(clip->mpeg1, clip->data, clip->data + clip->size); break;
      case STATE_SEQUENCE:
        if (info->sequence->width != WIDTH || info->sequence->height != HEIGHT) return NULL;
        break;
      case STATE_SLICE:
      case STATE_END:
        if (info->display_fbuf != NULL) return info->display_fbuf->buf;
        break;
      case STATE_INVALID: return NULL;
      default: break;
    }
}

static bool mpeg4_picture(struct clip *clip) {
  int length;
  memcpy(&length, clip->data + clip->at, sizeof length);
  xvid_dec_frame_t frame = {.version = XVID_VERSION,
                            .bitstream = clip->data + clip->at + sizeof length,
                            .length = length,
                            .output = {.csp = XVID_CSP_I420, .plane = {picture}, .stride = {WIDTH}}};
  if (xvid_decore(clip->mpeg4, XVID_DEC_DECODE, &frame, NULL) < 0) return false;
  clip->at += sizeof length + (size_t)length;
  if (clip->at + sizeof length > clip->size) clip->at = 0; /* the first is a key frame */
  return true;
}

static int encode(const char *in, const char *file, int frames) {
  struct clip clip = {0};
  if (!opened(&clip, in) || clip.mpeg1 == NULL) return failed("mpeg4", in);
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
    unsigned char *const *planes = mpeg1_picture(&clip);
    if (planes == NULL) return failed("mpeg4", in);
    xvid_enc_frame_t frame = {.version = XVID_VERSION,
                              .input = {.csp = XVID_CSP_PLANAR,
                                        .plane = {planes[0], planes[1], planes[2]},
                                        .stride = {WIDTH, WIDTH / 2, WIDTH / 2}},
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
  struct clip clip = {0};
  int counts = open(counter, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (counts < 0 || ftruncate(counts, 2 * sizeof(uint64_t))) return failed("mpeg4", counter);
  volatile uint64_t *shown = mmap(NULL, 2 * sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
  if (shown == MAP_FAILED || !opened(&clip, file)) return failed("mpeg4", file);
  double due = now(CLOCK_MONOTONIC);
  while (!stopped) {
    if (clip.mpeg1 ? mpeg1_picture(&clip) == NULL : !mpeg4_picture(&clip)) return failed("mpeg4", file);
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
  const char *in = NULL, *out = NULL, *played = NULL, *counter = NULL;
  for (int option; (option = getopt(argc, argv, "i:o:p:c:")) != -1;) {
    if (option == 'i') in = optarg;
    else if (option == 'o') out = optarg;
    else if (option == 'p') played = optarg;
    else if (option == 'c') counter = optarg;
    else usage(how);
  }
  if ((in != NULL) == (played != NULL) || (in != NULL) != (out != NULL) || (played != NULL) != (counter != NULL))
    usage(how);
  xvid_gbl_init_t init = {.version = XVID_VERSION};
  xvid_global(NULL, XVID_GBL_INIT, &init, NULL);
  stop_on_signals();
  if (in != NULL) return encode(in, out, (int)last_number(argv, 1, how));
  return play(played, counter);
}
