/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of threads in a policy: a red-black tree by a 64-bit key, a list, and a set of CPUs that is searched in a
 * few words however many there are. Intrusive, no heap.
 *
 * Keys are compared by their signed difference, so virtual times may wrap; of equal keys the one that came first is
 * first. A tree may keep something of each subtree, as the least of a value (eevdf.c): then its user gives a function
 * that works it out for a node from its two children.
 * Cost: tree O(log n), its first and last O(1); list O(1); set O(levels), levels = log of the CPUs to the base of the
 * word's bits. */
#ifndef CL_CONTAINERS_H
#define CL_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So that what is constant at a call costs nothing there. */
#define CL_ALWAYS_INLINE static inline __attribute__((always_inline))

struct cl_node {
  struct cl_node *parent; /* list: the one before */
  struct cl_node *left;   /* list: the one behind */
  struct cl_node *right;
  uint64_t key;
  uint8_t red;
};

struct cl_tree {
  struct cl_node *root;
  struct cl_node *first;
  struct cl_node *last;
};

struct cl_list {
  struct cl_node *first;
  struct cl_node *last;
};

/* The thread that a node belongs to: cl_entity_of(node). */
#define cl_entity_of(place) ((struct cl_entity *)(void *)((char *)(place) - offsetof(struct cl_entity, node)))

/* --- list -------------------------------------------------------------------------------------- */

static inline void cl_list_append(struct cl_list *list, struct cl_node *node) {
  node->parent = list->last;
  node->left = NULL;
  if (list->last) list->last->left = node;
  else list->first = node;
  list->last = node;
}

static inline void cl_list_prepend(struct cl_list *list, struct cl_node *node) {
  node->parent = NULL;
  node->left = list->first;
  if (list->first) list->first->parent = node;
  else list->last = node;
  list->first = node;
}

static inline void cl_list_remove(struct cl_list *list, struct cl_node *node) {
  if (node->parent) node->parent->left = node->left;
  else list->first = node->left;
  if (node->left) node->left->parent = node->parent;
  else list->last = node->parent;
}

/* --- tree -------------------------------------------------------------------------------------- */

static inline bool cl_before(uint64_t a, uint64_t b) { return (int64_t)(a - b) < 0; }

static inline void cl_tree_replace_(struct cl_tree *tree, const struct cl_node *old, struct cl_node *new) {
  struct cl_node *parent = old->parent;
  if (!parent) tree->root = new;
  else if (parent->left == old) parent->left = new;
  else parent->right = new;
  if (new) new->parent = parent;
}

typedef void (*cl_tree_update)(struct cl_node *node);

static inline void cl_tree_update_up_(struct cl_node *node, cl_tree_update update) {
  if (!update) return;
  for (; node; node = node->parent) update(node);
}

static inline void cl_tree_rotate_(struct cl_tree *tree, struct cl_node *down, bool to_left, cl_tree_update update) {
  struct cl_node *up = to_left ? down->right : down->left;
  struct cl_node *inner = to_left ? up->left : up->right;
  cl_tree_replace_(tree, down, up);
  if (to_left) {
    down->right = inner;
    up->left = down;
  } else {
    down->left = inner;
    up->right = down;
  }
  if (inner) inner->parent = down;
  down->parent = up;
  if (!update) return;
  update(down);
  update(up);
}

/* Most come in order, and so behind the last one: then nothing is read but what is near it. */
CL_ALWAYS_INLINE void cl_tree_add_with(struct cl_tree *tree, struct cl_node *node, cl_tree_update update) {
  struct cl_node *parent = tree->last;
  struct cl_node **link = parent ? &parent->right : &tree->root;
  if (parent && cl_before(node->key, parent->key)) {
    for (link = &tree->root; *link; link = cl_before(node->key, parent->key) ? &parent->left : &parent->right)
      parent = *link;
  }
  *link = node;
  node->parent = parent;
  node->left = node->right = NULL;
  node->red = 1;
  if (!parent || (parent == tree->first && parent->left == node)) tree->first = node;
  if (!parent || (parent == tree->last && parent->right == node)) tree->last = node;
  cl_tree_update_up_(node, update);
  while ((parent = node->parent) && parent->red) {
    struct cl_node *above = parent->parent;
    bool on_left = parent == above->left;
    struct cl_node *uncle = on_left ? above->right : above->left;
    if (uncle && uncle->red) {
      parent->red = uncle->red = 0;
      above->red = 1;
      node = above;
      continue;
    }
    if (node == (on_left ? parent->right : parent->left)) {
      cl_tree_rotate_(tree, parent, on_left, update);
      parent = node;
    }
    parent->red = 0;
    above->red = 1;
    cl_tree_rotate_(tree, above, !on_left, update);
    break;
  }
  tree->root->red = 0;
}

static inline void cl_tree_add(struct cl_tree *tree, struct cl_node *node) { cl_tree_add_with(tree, node, NULL); }

/* The node behind this one in order, or NULL. */
static inline struct cl_node *cl_tree_next(const struct cl_node *node) {
  if (node->right) {
    node = node->right;
    while (node->left) node = node->left;
    return (struct cl_node *)(uintptr_t)node;
  }
  while (node->parent && node == node->parent->right) node = node->parent;
  return node->parent;
}

/* The node before this one in order, or NULL. */
static inline struct cl_node *cl_tree_previous(const struct cl_node *node) {
  if (node->left) {
    node = node->left;
    while (node->right) node = node->right;
    return (struct cl_node *)(uintptr_t)node;
  }
  while (node->parent && node == node->parent->left) node = node->parent;
  return node->parent;
}

CL_ALWAYS_INLINE void cl_tree_remove_with(struct cl_tree *tree, struct cl_node *node, cl_tree_update update) {
  if (tree->first == node) tree->first = cl_tree_next(node);
  if (tree->last == node) tree->last = cl_tree_previous(node);
  struct cl_node *child, *parent;
  bool was_red = node->red;
  if (node->left && node->right) {
    struct cl_node *heir = node->right;
    while (heir->left) heir = heir->left;
    was_red = heir->red;
    child = heir->right;
    parent = heir->parent == node ? heir : heir->parent;
    if (heir->parent != node) {
      cl_tree_replace_(tree, heir, child);
      heir->right = node->right;
      heir->right->parent = heir;
    }
    cl_tree_replace_(tree, node, heir);
    heir->left = node->left;
    heir->left->parent = heir;
    heir->red = node->red;
  } else {
    child = node->left ? node->left : node->right;
    parent = node->parent;
    cl_tree_replace_(tree, node, child);
  }
  cl_tree_update_up_(parent, update);
  if (was_red) return;
  /* The way down to `child` has a black node too few. */
  while (child != tree->root && (!child || !child->red)) {
    bool on_left = child == parent->left;
    struct cl_node *other = on_left ? parent->right : parent->left;
    if (other->red) {
      other->red = 0;
      parent->red = 1;
      cl_tree_rotate_(tree, parent, on_left, update);
      other = on_left ? parent->right : parent->left;
    }
    struct cl_node *near = on_left ? other->left : other->right;
    struct cl_node *far = on_left ? other->right : other->left;
    if ((!near || !near->red) && (!far || !far->red)) {
      other->red = 1;
      child = parent;
      parent = child->parent;
      continue;
    }
    if (!far || !far->red) {
      near->red = 0;
      other->red = 1;
      cl_tree_rotate_(tree, other, !on_left, update);
      other = on_left ? parent->right : parent->left;
      far = on_left ? other->right : other->left;
    }
    other->red = parent->red;
    parent->red = 0;
    far->red = 0;
    cl_tree_rotate_(tree, parent, on_left, update);
    child = tree->root;
    break;
  }
  if (child) child->red = 0;
}

static inline void cl_tree_remove(struct cl_tree *tree, struct cl_node *node) { cl_tree_remove_with(tree, node, NULL); }

/* --- set of CPUs ------------------------------------------------------------------------------- */

#ifndef CL_CPUS_MAX
#define CL_CPUS_MAX 4096u /* how many CPUs the sets have room for */
#endif
#define CL_WORD_BITS ((uint32_t)sizeof(unsigned long) * 8u)
#define CL_SET_LOW ((CL_CPUS_MAX + CL_WORD_BITS - 1) / CL_WORD_BITS)
#define CL_SET_HIGH ((CL_SET_LOW + CL_WORD_BITS - 1) / CL_WORD_BITS)

/* A bit a CPU, and above it a bit a word that is not empty. */
struct cl_cpuset {
  unsigned long low[CL_SET_LOW];
  unsigned long high[CL_SET_HIGH];
};

static inline void cl_set_add(struct cl_cpuset *set, uint32_t cpu) {
  uint32_t word = cpu / CL_WORD_BITS;
  set->low[word] |= 1ul << cpu % CL_WORD_BITS;
  set->high[word / CL_WORD_BITS] |= 1ul << word % CL_WORD_BITS;
}

static inline void cl_set_remove(struct cl_cpuset *set, uint32_t cpu) {
  uint32_t word = cpu / CL_WORD_BITS;
  set->low[word] &= ~(1ul << cpu % CL_WORD_BITS);
  if (!set->low[word]) set->high[word / CL_WORD_BITS] &= ~(1ul << word % CL_WORD_BITS);
}

/* The first CPU of the set from `from` on, not before it; CL_CPUS_MAX: none. */
static inline uint32_t cl_set_from(const struct cl_cpuset *set, uint32_t from) {
  if (from >= CL_CPUS_MAX) return CL_CPUS_MAX;
  uint32_t word = from / CL_WORD_BITS;
  unsigned long bits = set->low[word] >> from % CL_WORD_BITS;
  if (bits) return from + (uint32_t)__builtin_ctzl(bits);
  if (++word >= CL_SET_LOW) return CL_CPUS_MAX;
  uint32_t block = word / CL_WORD_BITS;
  bits = set->high[block] >> word % CL_WORD_BITS << word % CL_WORD_BITS;
  while (!bits) {
    if (++block >= CL_SET_HIGH) return CL_CPUS_MAX;
    bits = set->high[block];
  }
  word = block * CL_WORD_BITS + (uint32_t)__builtin_ctzl(bits);
  return word * CL_WORD_BITS + (uint32_t)__builtin_ctzl(set->low[word]);
}

/* The nearest from `from` on, round the end to the CPUs before it; CL_CPUS_MAX: the set is empty. */
static inline uint32_t cl_set_near(const struct cl_cpuset *set, uint32_t from) {
  uint32_t cpu = cl_set_from(set, from);
  return cpu < CL_CPUS_MAX ? cpu : cl_set_from(set, 0);
}

#endif
