/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the communication port's interrupt. The trap entry calls them, or cl_ipc_dispatch, with interrupts
 * off; a CPU that sleeps calls it, too (software kernel). Linked only with programs that use handlers. */
#include "coreloom.h"
#include "posix.h"

#define WIRES 16 /* as the enable word has them: req of each processor, then ack */

void (*cl_ipc_dispatch)(void);

/* The sources that the standard core's trap entry checks itself, in this order: the bells of one handler, one wire. The
 * rest, if there is any, is for dispatch(). */
#if CL_ARCH_HANDLER_STACK
static struct {
  char stack[CL_ARCH_HANDLER_STACK];
  uint32_t registers[16];
  struct cl_ipc_first first;
} trap CL_LOCAL_DATA __attribute__((aligned(16)));
#define FIRST (&trap.first)
#define REGISTERS trap.registers
#else
struct cl_ipc_first cl_ipc_first[CL_AMP ? 1 : CL_CPUS] CL_LOCAL_DATA;
#define FIRST (&cl_ipc_first[CL_AMP ? 0 : cl_ipc_self()])
#define REGISTERS NULL
#endif

static const uint32_t silent = CL_IPC_FAILED, low = 0; /* as the port answers */

static struct handlers {
  uint32_t bells, wires; /* that have one */
  int listens;           /* cl_ipc_listen, which no handler may call again */
  void (*bell[DOORBELLS])(uint32_t bells);
  uint32_t group[DOORBELLS]; /* bells with the same handler */
  void (*wire[WIRES])(unsigned cpu);
} handlers[CL_CPUS];

static inline uint32_t load(unsigned op, unsigned index) { return cl_ipc_load(cl_ipc_at(op, index, CL_IPC_TRY)); }

static inline unsigned lowest(uint32_t set) {
  unsigned bit = 0;
  while (!(set >> bit & 1)) bit++;
  return bit;
}

/* A source that still wants service afterwards interrupts again. */
static void dispatch(void) {
  struct handlers *own = &handlers[cl_ipc_self()];
  uint32_t ringing = load(CL_IPC_OP_DOORBELL_PENDING, 0);
  while (ringing &= own->bells) {
    unsigned bell = lowest(ringing);
    uint32_t group = own->group[bell];
    ringing &= ~group;
    own->bell[bell](load(CL_IPC_OP_DOORBELL_TAKE, group));
  }
  for (unsigned wire = 0; own->wires >> wire; wire++) {
    unsigned cpu = wire % (WIRES / 2);
    if (!(own->wires >> wire & 1)) continue;
    uint32_t levels = load(CL_IPC_OP_CHANNEL_READ, cpu);
    if (levels >> (wire < WIRES / 2 ? CL_IPC_WIRES_WORD_REQ_IN_LSB : CL_IPC_WIRES_WORD_ACK_IN_LSB) & 1)
      own->wire[wire](cpu);
  }
}

static inline int enter(void) {
  int off = cl_irq_is_off();
  cl_irq_off();
  return off;
}

static void choose_first(const struct handlers *own) {
  struct cl_ipc_first *first = FIRST;
  uint32_t bells = own->bells, wires = own->wires;
  first->take = &silent;
  first->levels = &low;
  if (bells) {
    unsigned bell = lowest(bells);
    first->take = cl_ipc_at(CL_IPC_OP_DOORBELL_TAKE, own->group[bell], CL_IPC_TRY);
    first->bell = own->bell[bell];
    bells &= ~own->group[bell];
  }
  if (wires) {
    unsigned wire = lowest(wires), cpu = wire % (WIRES / 2);
    first->levels = cl_ipc_at(CL_IPC_OP_CHANNEL_READ, cpu, CL_IPC_TRY);
    first->mask = 1u << (wire < WIRES / 2 ? CL_IPC_WIRES_WORD_REQ_IN_LSB : CL_IPC_WIRES_WORD_ACK_IN_LSB);
    first->wire = own->wire[wire];
    first->cpu = cpu;
    wires &= wires - 1;
  }
  first->others = bells | wires ? dispatch : NULL;
}

/* The tables are as they should be. */
static int leave(struct handlers *own, int off) {
  cl_ipc_dispatch = dispatch;
  choose_first(own);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_DOORBELL_ENABLE, 0, CL_IPC_TRY), own->bells);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_CHANNEL_ENABLE, 0, CL_IPC_TRY), own->wires);
  if (!own->listens) {
    own->listens = 1;
    cl_ipc_listen(REGISTERS);
  }
  if (!off) cl_irq_on();
  return 0;
}

int doorbell_handler_np(uint32_t bells, void (*handler)(uint32_t bells)) {
  if (!CL_IPC) return ENODEV;
  if (bells - 1 >= (1u << DOORBELLS) - 1) return EINVAL;
  int off = enter();
  struct handlers *own = &handlers[cl_ipc_self()];
  own->bells = handler ? own->bells | bells : own->bells & ~bells;
  for (unsigned bell = 0; bell < DOORBELLS; bell++)
    if (bells >> bell & 1) own->bell[bell] = handler;
  for (unsigned bell = 0; bell < DOORBELLS; bell++) {
    own->group[bell] = 0;
    for (unsigned other = 0; other < DOORBELLS; other++)
      if (own->bells >> other & 1 && own->bell[other] == own->bell[bell]) own->group[bell] |= 1u << other;
  }
  return leave(own, off);
}

int channel_handler_np(unsigned cpu, unsigned wire, void (*handler)(unsigned cpu)) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || wire > CHANNEL_ACK) return EINVAL;
  int off = enter();
  struct handlers *own = &handlers[cl_ipc_self()];
  unsigned at = cpu + (wire == CHANNEL_ACK ? WIRES / 2 : 0);
  own->wires = handler ? own->wires | 1u << at : own->wires & ~(1u << at);
  own->wire[at] = handler;
  return leave(own, off);
}

int cpu_reset_end(void) {
  if (!CL_IPC) return ENODEV;
  int off = enter();
  struct handlers *own = &handlers[cl_ipc_self()];
  own->bells = own->wires = 0;
  choose_first(own);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_RESET_END, 0, CL_IPC_TRY), 0);
  if (!off) cl_irq_on();
  return 0;
}
