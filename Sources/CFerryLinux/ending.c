#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE (cSettings)"
#endif

#include "CFerryLinux.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait for a lock");

/// The eventfds that the handler writes to, by signal. They stay open for as long as the process
/// lives, because a handler may still be running in another thread when its signal was given back.
static atomic_int notices[NSIG];
/// The process that owns the eventfds.
static atomic_int owner;
/// The previous actions; the caller ensures that only one thread at a time changes them.
static struct sigaction previous[NSIG];

/// Handles a signal, with only the calls that signal-safety(7) allows.
static void note(int number) {
    int code = errno;
    if (getpid() == atomic_load(&owner)) {
        uint64_t one = 1;
        ssize_t count = write(atomic_load(&notices[number]), &one, sizeof(one));
        (void)count;
    } else {
        // This is a child of fork(2) before its execve(2): the signal is for the child alone. It is delivered
        // again when this handler has returned.
        sigaction(number, &previous[number], NULL);
        raise(number);
    }
    errno = code;
}

static int isHandler(const struct sigaction *action, void (*handler)(int)) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == handler;
}

int CFerryLinux_takeSignal(int number, int fd, int onlyIfDefault) {
    struct sigaction current;
    if (sigaction(number, NULL, &current) != 0) return -1;
    if (isHandler(&current, note) || isHandler(&current, SIG_IGN)) return 0;
    if (onlyIfDefault && !isHandler(&current, SIG_DFL)) return 0;
    atomic_store(&notices[number], fd);
    atomic_store(&owner, getpid());
    previous[number] = current;
    // The app's system calls continue as if there had been no signal.
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

int CFerryLinux_giveSignalBack(int number) {
    struct sigaction current;
    if (sigaction(number, NULL, &current) != 0) return -1;
    // A handler that was installed later stays.
    return isHandler(&current, note) ? sigaction(number, &previous[number], NULL) : 0;
}
