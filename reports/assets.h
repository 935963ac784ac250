/*
 * assets - the files of reports/html/ inside of the program: style sheet, script, and
 * the charts, which npm and esbuild make of Apache ECharts while weft is built.
 */
#ifndef REPORTS_ASSETS_H
#define REPORTS_ASSETS_H

#include <stddef.h>

struct asset {
	const unsigned char *bytes;
	size_t count;
};

extern const struct asset asset_style, asset_script;
extern const struct asset asset_charts; /* count 0: built without */

#endif
