// The system calls that are counted, and how each of them can fail.
#pragma once

#include <stddef.h>

/// Which arguments of a call name the file that it is about.
typedef enum {
    NO_FILE,
    FIRST_IS_DESCRIPTOR,
    FIRST_IS_PATH,
    /// A directory's descriptor and a path in it.
    PATH_IN_DIRECTORY,
    /// As `mmap`: the fifth is a descriptor, unless the fourth says that there is none.
    MAPPING,
    /// As `splice`: from the first to the third.
    FIRST_TO_THIRD,
    /// As `fcntl`: a descriptor and what to do with it; counted if it locks or duplicates.
    CONTROL,
    /// As `epoll_ctl`: what is watched is the third.
    THIRD_OF_EPOLL,
    /// As `socket`: the family.
    FAMILY,
} FileArgument;

typedef struct {
    const char *name;
    long number;
    FileArgument file;
    /// Whether it changes what others see, or takes something from them: a moment to be killed at.
    int isBoundary;
    /// The failures that can be played, by name, separated by commas.
    const char *failures;
} Call;

/// The calls, in no order; the last one has no name.
extern const Call calls[];

/// The number of an error by its name, or 0.
int errorNumber(const char *name);

/// The entry of a call, or NULL.
const Call *callOfNumber(long number);
