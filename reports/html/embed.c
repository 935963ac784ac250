/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed NAME FILE OUTPUT: writes FILE as a C source that defines asset_NAME
 * (reports/assets.h). Run while weft is built.
 */
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL;
	FILE *out = in ? fopen(argv[3], "wb") : NULL;
	size_t count = 0;
	int c;

	if (!out) {
		fprintf(stderr, "usage: embed NAME FILE OUTPUT, with a FILE that is there\n");
		return 2;
	}
	fprintf(out,
		"#include \"reports/assets.h\"\n\nstatic const unsigned char bytes[] = {\n");
	for (; (c = getc(in)) != EOF; count++)
		fprintf(out, "%d,%s", c, count % 24 == 23 ? "\n" : "");
	/* An empty array is no C; the end is not counted. */
	fprintf(out, "0\n};\n\nconst struct asset asset_%s = { bytes, %zu };\n", argv[1],
		count);
	if (ferror(in) || fclose(out)) {
		perror("embed");
		return 2;
	}
	fclose(in);
	return 0;
}
