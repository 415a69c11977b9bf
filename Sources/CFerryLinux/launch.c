// posix_spawn(3) can set neither the mask for new files nor a limit, so this uses vfork(2). Between it and
// execve(2), only functions that signal-safety(7) allows are called, and closefrom(3), which allocates
// nothing either.

#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE (cSettings)"
#endif

#include "CFerryLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    char *const *arguments;
    char *const *environment;
    const char *directory;
    const int *sources;
    const int *targets;
    const CFerryLinux_LaunchOptions *options;
} Program;

/// Ends the new process and reports why through `report`, which a successful execve(2) closes.
static _Noreturn void fail(int report, const char *call) {
    CFerryLinux_LaunchFailure failure = {.code = errno};
    for (size_t index = 0; call[index] && index + 1 < sizeof(failure.call); index++) {
        failure.call[index] = call[index];
    }
    ssize_t count = write(report, &failure, sizeof(failure));
    (void)count;
    _exit(127);
}

/// Resets all signals: the program inherits neither this process's handlers nor its ignored signals.
static void resetSignals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    // sigaction(2) refuses signals that cannot be changed, which does no harm.
    for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
}

static int isTarget(const Program *program, int number) {
    for (size_t index = 0; index < program->options->descriptorCount; index++) {
        if (program->targets[index] == number) return 1;
    }
    return 0;
}

/// Arranges the descriptors of the program, closes all others, and returns the new number of `report`.
static int arrangeDescriptors(const Program *program, int report) {
    for (int number = 0; number <= STDERR_FILENO; number++) {
        if (isTarget(program, number)) continue;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (null < 0) fail(report, "open");
        if (null == number) {
            if (fcntl(null, F_SETFD, 0) < 0) fail(report, "fcntl");
        } else {
            if (dup2(null, number) < 0) fail(report, "dup2");
            close(null);
        }
    }
    for (size_t index = 0; index < program->options->descriptorCount; index++) {
        if (dup2(program->sources[index], program->targets[index]) < 0) fail(report, "dup2");
    }
    // The sources are no longer needed, so the first number to close is free for the report.
    if (report != program->options->firstClosed) {
        if (dup3(report, program->options->firstClosed, O_CLOEXEC) < 0) fail(report, "dup3");
        report = program->options->firstClosed;
    }
    // Descriptors that other libraries have opened without O_CLOEXEC are not passed on.
    if (program->options->inPlace) {
        // Other threads use theirs until execve(2) ends them.
        syscall(SYS_close_range, report + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    } else {
        closefrom(report + 1);
    }
    return report;
}

static void setDescriptorLimit(int64_t limit, int report) {
    struct rlimit both;
    if (getrlimit(RLIMIT_NOFILE, &both) < 0) fail(report, "getrlimit");
    both.rlim_cur = (rlim_t)limit < both.rlim_max ? (rlim_t)limit : both.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &both) < 0) fail(report, "setrlimit");
}

/// Runs the new process up to execve(2). Its memory is still that of its parent, which waits.
static _Noreturn void become(const Program *program, int report) {
    // Signals that wait for a process are the ones of the program that takes its place, which blocks the same ones.
    const int keepsSignals = program->options->inPlace;
    if (!keepsSignals) resetSignals();
    if (program->options->inNewSession && setsid() < 0) fail(report, "setsid");
    report = arrangeDescriptors(program, report);
    if (program->directory && chdir(program->directory) < 0) fail(report, "chdir");
    if (program->options->fileModeMask >= 0) umask((mode_t)program->options->fileModeMask);
    if (program->options->descriptorLimit >= 0) setDescriptorLimit(program->options->descriptorLimit, report);
    sigset_t none;
    sigemptyset(&none);
    if (!keepsSignals) sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program->arguments[0], program->arguments, program->environment);
    fail(report, "execve");
}

static pid_t failHere(CFerryLinux_LaunchFailure *failure, const char *call) {
    failure->code = errno;
    strncpy(failure->call, call, sizeof(failure->call) - 1);
    return -1;
}

/// Makes a pipe, whose end for the new process has a number beyond those of its descriptors.
static int makeReport(int *ends, int firstFree) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    int moved = fcntl(ends[1], F_DUPFD_CLOEXEC, firstFree);
    int code = errno;
    close(ends[1]);
    ends[1] = moved;
    if (moved < 0) close(ends[0]);
    errno = code;
    return moved < 0 ? -1 : 0;
}

void CFerryLinux_replaceProcess(
    char *const *arguments, char *const *environment, const char *directory, const int *sources,
    const int *targets, const CFerryLinux_LaunchOptions *options) {
    const Program program = {arguments, environment, directory, sources, targets, options};
    int ends[2];
    if (makeReport(ends, options->firstClosed) < 0) return;
    become(&program, ends[1]);
}

pid_t CFerryLinux_launch(
    char *const *arguments, char *const *environment, const char *directory, const int *sources,
    const int *targets, const CFerryLinux_LaunchOptions *options,
    CFerryLinux_LaunchFailure *failure) {
    const Program program = {arguments, environment, directory, sources, targets, options};
    memset(failure, 0, sizeof(*failure));
    int ends[2];
    if (makeReport(ends, options->firstClosed) < 0) return failHere(failure, "pipe2");
    // A handler of this process must not run in the new one, which shares its memory.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t process = vfork();
    if (process == 0) become(&program, ends[1]);
    if (process < 0) failHere(failure, "vfork");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (process > 0) {
        ssize_t count;
        do count = read(ends[0], failure, sizeof(*failure));
        while (count < 0 && errno == EINTR);
        if (count > 0) {
            while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
            process = -1;
        }
    }
    close(ends[0]);
    return process;
}
