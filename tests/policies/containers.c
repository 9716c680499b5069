/* SPDX-License-Identifier: Apache-2.0
 *
 * The containers of policies, callable one operation at a time, and what a red-black tree must keep:
 * its colours, and the sizes of its subtrees, which the update works out. */
#include "cl_containers.h"

#define NODES 256

static struct cl_node nodes[NODES];
static int size[NODES]; /* of each node's subtree */
static struct cl_tree tree;
static struct cl_list list;
static struct cl_cpuset set;

static int number(const struct cl_node *node) { return node ? (int)(node - nodes) : -1; }

static int size_of(const struct cl_node *node) { return node ? size[number(node)] : 0; }
static void count(struct cl_node *node) { size[number(node)] = 1 + size_of(node->left) + size_of(node->right); }

void tree_add(int i, uint64_t key) {
  nodes[i].key = key;
  cl_tree_add_with(&tree, &nodes[i], count);
}
void tree_remove(int i) { cl_tree_remove_with(&tree, &nodes[i], count); }
int tree_size(void) { return size_of(tree.root); }
int tree_first(void) { return number(tree.first); }
int tree_last(void) { return number(tree.last); }
int tree_previous(int i) { return number(cl_tree_previous(&nodes[i])); }
int tree_next(int i) { return number(cl_tree_next(&nodes[i])); }

/* Black nodes on each way down, or -1: not a red-black tree. */
static int blacks(const struct cl_node *node) {
  if (!node) return 0;
  const struct cl_node *child[] = {node->left, node->right};
  for (int i = 0; i < 2; i++)
    if (child[i] && (child[i]->parent != node || (node->red && child[i]->red))) return -1;
  if (size_of(node) != 1 + size_of(node->left) + size_of(node->right)) return -1;
  int left = blacks(node->left), right = blacks(node->right);
  return left < 0 || left != right ? -1 : left + !node->red;
}
int tree_blacks(void) { return tree.root && (tree.root->red || tree.root->parent) ? -1 : blacks(tree.root); }

void list_append(int i) { cl_list_append(&list, &nodes[i]); }
void list_prepend(int i) { cl_list_prepend(&list, &nodes[i]); }
void list_remove(int i) { cl_list_remove(&list, &nodes[i]); }
int list_walk(int forward, int *order) {
  int n = 0;
  for (struct cl_node *node = forward ? list.first : list.last; node; node = forward ? node->left : node->parent)
    order[n++] = number(node);
  return n;
}

void set_add(uint32_t cpu) { cl_set_add(&set, cpu); }
void set_remove(uint32_t cpu) { cl_set_remove(&set, cpu); }
uint32_t set_from(uint32_t from) { return cl_set_from(&set, from); }
uint32_t set_near(uint32_t from) { return cl_set_near(&set, from); }
