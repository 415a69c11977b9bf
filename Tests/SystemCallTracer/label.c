#include "label.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *familyName(int family) {
    switch (family) {
    case AF_UNIX: return "unix";
    case AF_INET:
    case AF_INET6: return "tcp";
    case AF_NETLINK: return "netlink";
    default: return "other";
    }
}

/// Asks the socket itself, by a copy of the descriptor.
static void describeSocket(pid_t process, int descriptor, char label[LABEL_SIZE]) {
    int family = -1, isListening = 0;
    socklen_t size = sizeof(int);
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    int copy = handle < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, handle, descriptor, 0);
    if (copy >= 0) {
        getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &family, &size);
        size = sizeof(int);
        getsockopt(copy, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size);
        close(copy);
    }
    if (handle >= 0) close(handle);
    const char *name = familyName(family);
    snprintf(label, LABEL_SIZE, "socket (%s%s)", name, isListening ? ", listening" : "");
}

/// Writes the home as `~` and leaves out what differs from one run to the next.
static void shorten(const char *home, char label[LABEL_SIZE]) {
    size_t length = strlen(home);
    if (length > 0 && strncmp(label, home, length) == 0) {
        label[0] = '~';
        memmove(label + 1, label + length, strlen(label + length) + 1);
    }
    if (strncmp(label, "pipe:[", 6) == 0) strcpy(label, "pipe");
    for (char *character = label; *character; character++) {
        if (*character == '\t' || *character == '\n') *character = '?';
    }
}

static void describeDescriptor(
    pid_t process, int descriptor, const char *home, char label[LABEL_SIZE]) {
    char link[64];
    if (descriptor == AT_FDCWD) {
        snprintf(link, sizeof(link), "/proc/%d/cwd", process);
    } else {
        snprintf(link, sizeof(link), "/proc/%d/fd/%d", process, descriptor);
    }
    ssize_t count = readlink(link, label, LABEL_SIZE - 1);
    label[count < 0 ? 0 : count] = 0;
    if (count < 0) strcpy(label, "closed");
    if (strncmp(label, "socket:[", 8) == 0) describeSocket(process, descriptor, label);
    shorten(home, label);
}

static void readText(pid_t process, unsigned long address, char text[PATH_MAX]) {
    text[0] = 0;
    size_t total = 0;
    // Page by page: what follows the text may not be mapped.
    while (total < PATH_MAX - 1) {
        size_t step = 4096 - (address + total) % 4096;
        if (step > PATH_MAX - 1 - total) step = PATH_MAX - 1 - total;
        struct iovec here = {text + total, step};
        struct iovec there = {(void *)(address + total), step};
        ssize_t count = process_vm_readv(process, &here, 1, &there, 1, 0);
        if (count <= 0) break;
        if (memchr(text + total, 0, (size_t)count)) return;
        total += (size_t)count;
    }
    text[total] = 0;
}

static void describePath(
    pid_t process, int directory, unsigned long address, const char *home, char label[LABEL_SIZE]) {
    char path[PATH_MAX];
    readText(process, address, path);
    if (path[0] == '/') {
        snprintf(label, LABEL_SIZE, "%.1000s", path);
        shorten(home, label);
        return;
    }
    describeDescriptor(process, directory, home, label);
    size_t length = strlen(label);
    // Without a path it is the descriptor itself, as with AT_EMPTY_PATH.
    if (path[0]) snprintf(label + length, LABEL_SIZE - length, "/%s", path);
}

static int describeControl(
    pid_t process, const Registers *registers, const char *home, char label[LABEL_SIZE]) {
    const char *name;
    switch (registers->arguments[1]) {
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: name = "lock"; break;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: name = "duplicate"; break;
    default: return 0;
    }
    char file[LABEL_SIZE];
    describeDescriptor(process, (int)registers->arguments[0], home, file);
    snprintf(label, LABEL_SIZE, "%s %.900s", name, file);
    return 1;
}

static int describeFile(
    pid_t process, const Call *call, const Registers *registers, const char *home,
    char label[LABEL_SIZE]) {
    const unsigned long *arguments = registers->arguments;
    char second[LABEL_SIZE];
    switch (call->file) {
    case NO_FILE: strcpy(label, "-"); break;
    case FIRST_IS_DESCRIPTOR:
        describeDescriptor(process, (int)arguments[0], home, label);
        break;
    case FIRST_IS_PATH: describePath(process, AT_FDCWD, arguments[0], home, label); break;
    case PATH_IN_DIRECTORY:
        describePath(process, (int)arguments[0], arguments[1], home, label);
        break;
    case MAPPING:
        if (arguments[3] & MAP_ANONYMOUS) {
            strcpy(label, "memory");
        } else {
            describeDescriptor(process, (int)arguments[4], home, label);
        }
        break;
    case FIRST_TO_THIRD:
        describeDescriptor(process, (int)arguments[0], home, label);
        describeDescriptor(process, (int)arguments[2], home, second);
        snprintf(label + strlen(label), LABEL_SIZE - strlen(label), " to %.400s", second);
        break;
    case THIRD_OF_EPOLL:
        // 2 removes, for which no memory is needed.
        if (arguments[1] == 2) return 0;
        describeDescriptor(process, (int)arguments[2], home, label);
        break;
    case CONTROL: return describeControl(process, registers, home, label);
    case FAMILY:
        snprintf(label, LABEL_SIZE, "socket (%s)", familyName((int)arguments[0]));
        break;
    }
    return 1;
}

/// Leaves out what is drawn by lot: it stands behind the number of the task.
static void hideLot(char label[LABEL_SIZE]) {
    char *kept = strstr(label, "/Resume_");
    char *lot = kept ? strchr(kept + strlen("/Resume_"), '_') : NULL;
    if (!lot) return;
    char *rest = lot + 1 + strspn(lot + 1, "0123456789abcdefghijklmnopqrstuvwxyz");
    lot[1] = '*';
    memmove(lot + 2, rest, strlen(rest) + 1);
}

/// Leaves a name out of a list.
static void leaveOut(const char *name, char list[64]) {
    char *place = strstr(list, name);
    if (!place) return;
    char *next = place + strlen(name);
    if (*next == ',') next++;
    memmove(place, next, strlen(next) + 1);
    size_t length = strlen(list);
    if (length > 0 && list[length - 1] == ',') list[length - 1] = 0;
}

int describe(
    pid_t process, const Call *call, const Registers *registers, const char *home,
    Description *description) {
    if (!describeFile(process, call, registers, home, description->file)) return 0;
    hideLot(description->file);
    description->isBoundary = call->isBoundary;
    strcpy(description->failures, call->failures);
    const char *file = description->file;
    int isOpening = call->number == SYS_openat;
    unsigned long flags = registers->arguments[2];
#ifdef SYS_open
    if (call->number == SYS_open) {
        isOpening = 1;
        flags = registers->arguments[1];
    }
#endif
    int isInMemory = strncmp(file, "anon_inode", 10) == 0;
    if (isOpening && !(flags & (O_CREAT | O_TRUNC))) {
        description->isBoundary = 0;
        leaveOut("ENOSPC", description->failures);
    }
    // What a process tells itself is seen by nobody, and so is what it reads from a file.
    if (isInMemory || (call->number == SYS_read && strcmp(file, "pipe") != 0)) {
        description->isBoundary = 0;
    }
    if (isInMemory || strcmp(file, "pipe") == 0 || strncmp(file, "socket", 6) == 0) {
        leaveOut("ENOSPC", description->failures);
        if (call->number != SYS_bind) leaveOut("EIO", description->failures);
    }
    if (call->number == SYS_fcntl) {
        int isLock = strncmp(file, "lock", 4) == 0;
        description->isBoundary = isLock;
        leaveOut(isLock ? "EMFILE" : "EINTR", description->failures);
    }
    return 1;
}
