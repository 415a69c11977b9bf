/* A clock that is SLOW times slower, for programs under valgrind (LD_PRELOAD).
 *
 * valgrind makes a program about fifty times slower. What a program does by the clock, such as reporting progress, would
 * be done fifty times as often for each item, and be counted with it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { CLOCKS = 12, BILLION = 1000000000 };

static int64_t factor = 1;
static int64_t starts[CLOCKS];

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now = {0};
    syscall(SYS_clock_gettime, clock, &now);
    return now.tv_sec * (int64_t)BILLION + now.tv_nsec;
}

__attribute__((constructor)) static void start(void) {
    const char *slow = getenv("SLOW");
    if (slow && atoi(slow) > 0) factor = atoi(slow);
    for (int clock = 0; clock < CLOCKS; clock++) starts[clock] = nanoseconds(clock);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    /* Processor time is not slowed down, nor is the clock of anything else. */
    if (clock < 0 || clock >= CLOCKS || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, now);
    int64_t slowed = starts[clock] + (nanoseconds(clock) - starts[clock]) / factor;
    now->tv_sec = slowed / BILLION;
    now->tv_nsec = slowed % BILLION;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
