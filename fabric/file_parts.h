/*
 * file_parts - the steps between the keys of a fabric file and the fabric; known
 * to fabric/file*.c only.
 */
#ifndef FABRIC_FILE_PARTS_H
#define FABRIC_FILE_PARTS_H

#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/file_keys.h"

struct diag;
struct shape;

struct file {
	const char *name;              /* for messages; borrowed */
	const struct doc_plane *plane; /* borrowed */
	struct fabric *fabric;         /* borrowed */
	struct diag *diag;
};

/* Returns -EINVAL with "name:line: sentence". */
__attribute__((format(printf, 3, 4))) int file_refuse(
	const struct file *file, uint32_t line, const char *format, ...);

/* 0, or the refusal of a speed that no Ethernet port has. An absent value is 0. */
int file_check_speed(const struct file *file, const struct yaml_value *speed, const char *key);

/* 0, or the refusal of a plane that lacks one of its four lines. */
int file_check_required(const struct file *file);

/* The link of this name; PORT_NONE with *err set to a refusal. */
uint32_t file_find_link(
	const struct file *file, uint32_t line, const char *key, const char *name, int *err);

static inline uint64_t file_number(const struct yaml_value *value, uint64_t otherwise)
{
	return value->line ? value->number : otherwise;
}

/* Each fills its part of file->fabric; 0 or -EINVAL. In this order. */
int file_read_settings(const struct file *file); /* policy, limits, mtu, latency */
int file_read_wiring(const struct file *file);   /* shape, links, hosts, cables */
int file_fit_buffer(const struct file *file);    /* a buffer that holds the headroom */
int file_read_faults(const struct file *file);

/* Parts of file_read_wiring(): the ports of each switch, leaves first, that extra
 * cables ask for; the entries of links and hosts; those of cables. */
void file_count_ports(const struct file *file, const struct shape *shape, uint32_t *ports);
int file_change_links(const struct file *file);
int file_add_cables(const struct file *file, const struct shape *shape);

#endif
