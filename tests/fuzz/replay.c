/* SPDX-License-Identifier: Apache-2.0 */
/* Without a fuzzer the corpus still runs: each file of the folders named is one
 * input, in the order of their names. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
	static uint8_t data[1 << 22];
	char path[4096];
	FILE *file;
	size_t size;
	int bad;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	bad = ferror(file) || !feof(file);
	if (bad)
		fprintf(stderr, "%s: cannot be read whole\n", path);
	fclose(file);
	/* A copy of just that size: reading past the end is then an error that ASan sees. */
	if (!bad) {
		uint8_t *copy = malloc(size ? size : 1);

		for (size_t i = 0; copy && i < size; i++)
			copy[i] = data[i];
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	return bad;
}

int main(int argc, char **argv)
{
	int inputs = 0, bad = 0;

	for (int i = 1; i < argc; i++) {
		struct dirent **entries;
		int count = scandir(argv[i], &entries, NULL, alphasort);

		if (count < 0) {
			perror(argv[i]);
			return 1;
		}
		for (int k = 0; k < count; k++) {
			if (entries[k]->d_name[0] != '.') {
				bad += replay(argv[i], entries[k]->d_name);
				inputs++;
			}
			free(entries[k]);
		}
		free(entries);
	}
	printf("%d inputs\n", inputs);
	return bad || inputs == 0;
}
