/*
 * agent_test - what tests ask of an agent through its environment, and nothing without it.
 *
 *	WEFT_TEST_FLIP=RANK.STEP            one bit of what a rank receives in a step
 *	WEFT_TEST_SPOIL=DEVICE              one bit of the payload that a device has received
 *	WEFT_TEST_DIE=DEVICE.STAGE.MOMENT   death by SIGKILL, of the agent of a device; stages
 *	                                    are counted from 1 as they are prepared
 *
 * Known to fabric/agent*.c alone.
 */
#ifndef FABRIC_AGENT_TEST_H
#define FABRIC_AGENT_TEST_H

#include <stdint.h>

struct agent_stage;
struct gen;

/* The step after which the rank's bit is flipped, from 1; 0: none. */
uint32_t agent_test_flip(uint32_t rank);

void agent_test_spoil(struct gen *gen);

/* Does not return when this is the moment: "prepare", "probe" (class probes have left),
 * "traffic" (some of it has been acknowledged), "payload" (is to be compared), "steps" (of a
 * ring are asked for). */
void agent_test_die(const struct agent_stage *stage, const char *moment);

#endif
