#pragma once

#include <stddef.h>
#include <stdint.h>

// Part of the interface of libFuzzer, which comes without a header of its own:
// https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
