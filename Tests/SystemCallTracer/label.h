// What a system call is about, in words that are the same in every run.
#pragma once

#include "calls.h"
#include "registers.h"

#include <sys/types.h>

enum { LABEL_SIZE = 1024 };

/// What is known of one call.
typedef struct {
    char file[LABEL_SIZE];
    /// Whether others see what it does, or it takes something from them.
    int isBoundary;
    /// The failures that can be played, by name, separated by commas.
    char failures[64];
} Description;

/// Describes the file of a call that `process` is about to make.
///
/// - Parameter home: The directory that is written as `~`.
/// - Returns: 0 if the call is not one to count.
int describe(
    pid_t process, const Call *call, const Registers *registers, const char *home,
    Description *description);
