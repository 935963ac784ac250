/*
 * script_steps - what conversations are written with. Of tests/wire/script*.c alone.
 */
#ifndef TESTS_WIRE_SCRIPT_STEPS_H
#define TESTS_WIRE_SCRIPT_STEPS_H

#include "tests/wire/script.h"

#define PSN_MASK 0xffffffu
#define TIMEOUT_NS UINT64_C(67100000)

/* Adds a packet 1 to 4 us after the one before. */
struct made_packet *script_add(struct script *script, unsigned from, unsigned opcode);

/* An ACK or NAK. */
void script_answer(struct script *script, uint32_t psn, unsigned syndrome);

uint32_t script_ahead(const struct script *script, uint32_t by);

/* A packet of SEND Only, the PSN given; the script's PSN stays. */
void script_send_at(struct script *script, uint32_t psn);
/* The next count ones. */
void script_send_some(struct script *script, uint32_t count);
/* All that was sent. */
void script_acknowledge(struct script *script);

/* Messages of several packets, SEND or WRITE, acknowledged. */
void script_messages(struct script *script, uint32_t count);

/* 1 to most. */
uint32_t script_some(struct script *script, uint32_t most);

/* Kinds. */
script_writer script_reads, script_reads_in_flight, script_response_lost,
	script_last_responses_lost, script_response_lost_behind, script_response_uncaptured;

#endif
