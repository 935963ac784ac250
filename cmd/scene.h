/*
 * scene - a fabric as the reports draw it: nodes in rows, cables, injected faults.
 */
#ifndef CMD_SCENE_H
#define CMD_SCENE_H

#include "fabric/fabric.h"
#include "reports/scene.h"

/* Fills scene, which scene_free() undoes. */
void scene_of(struct scene *scene, const struct fabric *fabric);

#endif
