/*
 * recorded - the fabric that a run was made on, from the run file's own copy of the
 * fabric file.
 */
#ifndef FABRIC_RECORDED_H
#define FABRIC_RECORDED_H

#include "fabric/fabric.h"
#include "lib/run.h"

struct diag;

/* path: of the run file, for the sentence. Returns 0, or the error of fabric_parse(). */
int fabric_recorded(
	struct fabric *fabric, const struct run *run, const char *path, struct diag *diag);

#endif
