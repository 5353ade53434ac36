/*
 * AddressSanitizer must still catch faults in large blocks that kept_memory.c keeps. Each argument
 * names one; without an argument the program does nothing wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)300000)
#define BLOCKS 40u

static uint8_t *block_new(void)
{
    uint8_t *block = malloc(BYTES);

    if (block == NULL) {
        exit(2);
    }
    return block;
}

static int is_zero(const uint8_t *block)
{
    return block[0] == 0 && memcmp(block, block + 1, BYTES - 1) == 0;
}

static int right(void)
{
    uint8_t *blocks[BLOCKS];

    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < BLOCKS; i++) {
            blocks[i] = i % 2 == 0 ? calloc(1, BYTES) : block_new();
            if (blocks[i] == NULL || (i % 2 == 0 && !is_zero(blocks[i]))) {
                return 1;
            }
            memset(blocks[i], 0x5a, BYTES);
        }
        for (uint32_t i = 0; i < BLOCKS; i++) {
            uint8_t *larger = realloc(blocks[i], i % 3 == 0 ? 2 * BYTES : BYTES / 8);

            if (larger == NULL || larger[BYTES / 8 - 1] != 0x5a) {
                return 1;
            }
            free(larger);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t *volatile block = NULL; /* the compiler is not to see the faults */
    const char *fault = argc > 1 ? argv[1] : "";

    if (right() != 0) {
        (void)puts("a block does not hold what it should");
        return 3;
    }
    block = block_new();
    if (strcmp(fault, "behind") == 0) {
        return block[BYTES];
    }
    if (strcmp(fault, "before") == 0) {
        return block[-1];
    }
    if (strcmp(fault, "leak") == 0) {
        for (uint32_t i = 0; i < BLOCKS; i++) { /* the stack may still have the last ones */
            block = block_new();
        }
        return 0;
    }
    free(block);
    if (strcmp(fault, "freed") == 0) {
        return block[BYTES / 2];
    }
    if (strcmp(fault, "twice") == 0) {
        free(block);
    }
    return 0;
}
