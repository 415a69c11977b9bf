// A stopped thread's registers, on either processor.
#pragma once

#include <sys/types.h>

typedef struct {
    long number;
    unsigned long arguments[6];
} Registers;

/// Reads the call that a thread is about to make; 0 unless the thread is gone.
int readCall(pid_t thread, Registers *registers);

/// Lets a thread skip the call that it is about to make.
int skipCall(pid_t thread);

/// The result of the call that a thread has made.
long resultOfCall(pid_t thread);

/// Sets the result of the call that a thread has made, or skipped.
int setResult(pid_t thread, long result);
