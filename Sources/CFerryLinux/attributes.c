// What a program inherits by fork(2) and execve(2) from whoever happens to start it, and can be set back to what a login
// session has. docs/decisions/starting-programs.md lists everything, also what cannot be set back.

#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE (cSettings)"
#endif

#include "CFerryLinux.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kernel's own soft limits, where they are not the hard ones.
static const struct {
    int resource;
    rlim_t soft;
} softLimits[] = {
    {RLIMIT_CORE, 0},
    {RLIMIT_NOFILE, 1024},
    {RLIMIT_STACK, 8 << 20},
};

/// Sets every soft limit: a hard one can only be lowered.
static void resetLimits(void) {
    for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
        struct rlimit limit;
        if (getrlimit(resource, &limit) < 0) continue;
        limit.rlim_cur = limit.rlim_max;
        for (size_t index = 0; index < sizeof(softLimits) / sizeof(*softLimits); index++) {
            const rlim_t soft = softLimits[index].soft;
            if (softLimits[index].resource == resource && soft < limit.rlim_max) limit.rlim_cur = soft;
        }
        setrlimit(resource, &limit);
    }
}

static void resetScheduling(void) {
    const struct sched_param none = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER, &none);
    // As far as RLIMIT_NICE allows a process to become more important.
    setpriority(PRIO_PROCESS, 0, 0);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_NONE, 0));
    // The kernel takes those processors that the control group has.
    unsigned char all[1024];
    memset(all, 0xff, sizeof(all));
    syscall(SYS_sched_setaffinity, 0, sizeof(all), all);
    prctl(PR_SET_TIMERSLACK, 50000, 0, 0, 0);
}

/// Makes the process as likely a victim of the kernel, when memory runs out, as it may: not below what a service manager
/// has set (oom_score_adj_min), which cannot be read.
static void resetMemory(void) {
    const char *const path = "/proc/self/oom_score_adj";
    FILE *file = fopen(path, "re");
    int now = 0;
    const int isKnown = file && fscanf(file, "%d", &now) == 1;
    if (file) fclose(file);
    for (int wanted = 0; isKnown && wanted < now; wanted += 100) {
        char text[16];
        const int length = snprintf(text, sizeof(text), "%d", wanted);
        const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
        const ssize_t count = descriptor < 0 ? -1 : write(descriptor, text, (size_t)length);
        if (descriptor >= 0) close(descriptor);
        if (count == length) break;
    }
    syscall(SYS_set_mempolicy, 0, NULL, 0);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    prctl(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 0, 0);
}

/// Gives up capabilities that were to be passed on to programs.
static void resetCapabilities(void) {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) < 0) return;
    for (size_t index = 0; index < _LINUX_CAPABILITY_U32S_3; index++) data[index].inheritable = 0;
    syscall(SYS_capset, &header, data);
}

void CFerryLinux_resetInheritedAttributes(void) {
    // What the kernel refuses stays as it is.
    resetLimits();
    resetScheduling();
    resetMemory();
    resetCapabilities();
    personality(PER_LINUX);
}
