#include "registers.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)

typedef struct user_regs_struct Machine;

#elif defined(__aarch64__)

typedef struct user_regs_struct Machine;

#else
#error "the tracer knows x86_64 and aarch64"
#endif

static int get(pid_t thread, Machine *machine) {
    struct iovec part = {machine, sizeof(*machine)};
    return (int)ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &part);
}

static int set(pid_t thread, Machine *machine) {
    struct iovec part = {machine, sizeof(*machine)};
    return (int)ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &part);
}

int readCall(pid_t thread, Registers *registers) {
    Machine machine;
    if (get(thread, &machine) < 0) return -1;
#if defined(__x86_64__)
    *registers = (Registers){
        (long)machine.orig_rax,
        {machine.rdi, machine.rsi, machine.rdx, machine.r10, machine.r8, machine.r9}};
#else
    registers->number = (long)machine.regs[8];
    for (int index = 0; index < 6; index++) registers->arguments[index] = machine.regs[index];
#endif
    return 0;
}

int skipCall(pid_t thread) {
#if defined(__x86_64__)
    Machine machine;
    if (get(thread, &machine) < 0) return -1;
    machine.orig_rax = (unsigned long)-1;
    return set(thread, &machine);
#else
    int number = -1;
    struct iovec part = {&number, sizeof(number)};
    return (int)ptrace(PTRACE_SETREGSET, thread, (void *)NT_ARM_SYSTEM_CALL, &part);
#endif
}

long resultOfCall(pid_t thread) {
    Machine machine;
    if (get(thread, &machine) < 0) return -ESRCH;
#if defined(__x86_64__)
    return (long)machine.rax;
#else
    return (long)machine.regs[0];
#endif
}

int setResult(pid_t thread, long result) {
    Machine machine;
    if (get(thread, &machine) < 0) return -1;
#if defined(__x86_64__)
    machine.rax = (unsigned long)result;
#else
    machine.regs[0] = (unsigned long)result;
#endif
    return set(thread, &machine);
}
