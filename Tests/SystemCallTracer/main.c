// Runs a program and counts the system calls of its process, all threads together; at one of them
// it kills the process, before or after the call, or lets the call fail once.
//
// A seccomp filter stops a thread at the calls that are counted and at no others, so that the rest
// runs at full speed. What the process starts inherits the filter, and is therefore followed too,
// but neither counted nor touched.
//
//   system-call-tracer OUTPUT EVENTS HOME [CALL FILE INDEX ACTION] -- PROGRAM ARGUMENT...
//
// OUTPUT gets each call, in order; EVENTS, which may be a pipe, a line when the call is reached
// ("hit") and one at the end of the process ("end exited 0", "end killed 9"). ACTION is "before",
// "after", or the name of an error. Descriptors from 3 on are for the program alone.

#include "calls.h"
#include "label.h"
#include "registers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

enum { OPTIONS = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
        PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL };

// The first thing that ferryd does which neither the dynamic loader nor a library does: counting
// begins there.
enum { FIRST_SIGNAL = SIGXFSZ };

static pid_t process;
static const char *home;
static FILE *output;
static int events;
static int isCounting;

// What is looked for.
static const char *wantedCall, *wantedFile, *wantedAction;
static long wantedIndex, foundCount;
static int isOver;
/// The thread that is in the call that was looked for, until the call has returned.
static pid_t awaited;

static _Noreturn void fail(const char *what) {
    fprintf(
        stderr,
        "system-call-tracer: %s: %s. It needs ptrace(2) and seccomp(2): in a container, allow them "
        "(docker run --cap-add SYS_PTRACE --security-opt seccomp=unconfined), and see that "
        "/proc/sys/kernel/yama/ptrace_scope is below 3\n",
        what, strerror(errno));
    exit(125);
}

static void tell(const char *line) {
    ssize_t count = write(events, line, strlen(line));
    if (count < 0) fail("events");
}

// MARK: - The program

static void installFilter(void) {
    struct sock_filter filter[512];
    unsigned short count = 0;
#define ADD(...) filter[count++] = (struct sock_filter)__VA_ARGS__
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (const Call *call = calls; call->name; call++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call->number, 0, 1));
        ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 3));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FIRST_SIGNAL, 0, 1));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef ADD
    struct sock_fprog program = {count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) fail("seccomp");
}

static void start(char **arguments) {
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) < 0) fail("pipe");
    process = fork();
    if (process < 0) fail("fork");
    if (process == 0) {
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 1) _exit(125);
        installFilter();
        execv(arguments[0], arguments);
        fail(arguments[0]);
    }
    if (ptrace(PTRACE_SEIZE, process, NULL, (void *)(long)OPTIONS) < 0) fail("ptrace");
    if (write(gate[1], "", 1) != 1) fail("pipe");
    // All but the standard ones, some of which are the program's alone.
    for (int descriptor = 3; descriptor < 64; descriptor++) {
        if (descriptor != events && descriptor != fileno(output)) close(descriptor);
    }
}

// MARK: - Stops

/// Whether a thread is of the process that is counted; what it starts is not.
static int isOwn(pid_t thread) {
    char path[64], text[512];
    if (thread == process) return 1;
    snprintf(path, sizeof(path), "/proc/%d/status", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof(text) - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    const char *line = strstr(text, "\nTgid:");
    return line && atoi(line + 6) == process;
}

static void killProcess(void) {
    tell("hit\n");
    kill(process, SIGKILL);
}

/// Decides how a thread goes on that is about to make a call.
static int atCall(pid_t thread) {
    Registers registers;
    Description description;
    if (!isOwn(thread) || readCall(thread, &registers) < 0) return PTRACE_CONT;
    if (registers.number == SYS_rt_sigaction) {
        isCounting = 1;
        return PTRACE_CONT;
    }
    const Call *call = callOfNumber(registers.number);
    if (!isCounting || !call) return PTRACE_CONT;
    if (!describe(process, call, &registers, home, &description)) return PTRACE_CONT;
    fprintf(
        output, "%d\t%s\t%s\t%d\t%s\n", thread, call->name, description.file,
        description.isBoundary, description.failures);
    if (isOver || !wantedCall || strcmp(call->name, wantedCall) ||
        strcmp(description.file, wantedFile) || ++foundCount != wantedIndex)
        return PTRACE_CONT;
    isOver = 1;
    if (strcmp(wantedAction, "before") == 0) {
        killProcess();
        return PTRACE_CONT;
    }
    if (strcmp(wantedAction, "after") != 0 && skipCall(thread) < 0) fail("skip");
    awaited = thread;
    return PTRACE_SYSCALL;
}

/// The call that was looked for has returned, or was left out.
static void afterCall(pid_t thread) {
    if (thread != awaited) return;
    awaited = 0;
    if (strcmp(wantedAction, "after") == 0) return killProcess();
    if (setResult(thread, -errorNumber(wantedAction)) < 0) return;
    tell("hit\n");
}

static void ended(int status) {
    char line[64];
    fflush(output);
    snprintf(
        line, sizeof(line), WIFEXITED(status) ? "end exited %d\n" : "end killed %d\n",
        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    tell(line);
}

static void resume(pid_t thread, int how, int number) {
    // On its way to the return there can be other stops, as for the birth of a process.
    if (how == PTRACE_CONT && thread == awaited) how = PTRACE_SYSCALL;
    // A thread that has been killed meanwhile is not there to be resumed.
    if (ptrace((enum __ptrace_request)how, thread, NULL, (void *)(long)number) < 0 &&
        errno != ESRCH)
        fail("resume");
}

static void stopped(pid_t thread, int status) {
    int number = WSTOPSIG(status);
    switch (status >> 16) {
    case PTRACE_EVENT_SECCOMP: return resume(thread, atCall(thread), 0);
    case PTRACE_EVENT_STOP:
        // A new thread, which goes on, or a process that somebody has stopped, which does not.
        return resume(thread, number == SIGTRAP ? PTRACE_CONT : PTRACE_LISTEN, 0);
    case 0: break;
    default: return resume(thread, PTRACE_CONT, 0);
    }
    if (number != (SIGTRAP | 0x80)) return resume(thread, PTRACE_CONT, number);
    afterCall(thread);
    resume(thread, PTRACE_CONT, 0);
}

int main(int count, char **arguments) {
    int split = 4;
    while (split < count && strcmp(arguments[split], "--") != 0) split++;
    if (split + 1 >= count || (split != 4 && split != 8)) {
        fprintf(stderr, "usage: OUTPUT EVENTS HOME [CALL FILE INDEX ACTION] -- PROGRAM ...\n");
        return 125;
    }
    output = fopen(arguments[1], "we");
    events = open(arguments[2], O_WRONLY | O_APPEND | O_CLOEXEC);
    home = arguments[3];
    if (!output || events < 0) fail("output");
    if (split == 8) {
        wantedCall = arguments[4];
        wantedFile = arguments[5];
        wantedIndex = atol(arguments[6]);
        wantedAction = arguments[7];
    }
    // Whoever has started it cares no more: then nothing of it is to be left.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    start(arguments + split + 1);
    int status;
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
        if (WIFSTOPPED(status)) {
            stopped(thread, status);
        } else if (thread == process) {
            ended(status);
        }
    }
    return 0;
}
