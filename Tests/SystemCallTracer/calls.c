#include "calls.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

// ENOSPC, EIO, EINTR, EMFILE and ENOMEM, each where a manual page or a file system's source has it.
// A call that arm64 does not have is left out there.
const Call calls[] = {
    // Files
    {"openat", SYS_openat, PATH_IN_DIRECTORY, 1, "ENOSPC,EIO,EINTR,EMFILE,ENOMEM"},
    {"write", SYS_write, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"writev", SYS_writev, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"pwrite64", SYS_pwrite64, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"read", SYS_read, FIRST_IS_DESCRIPTOR, 1, "EIO,EINTR"},
    {"pread64", SYS_pread64, FIRST_IS_DESCRIPTOR, 0, "EIO,EINTR"},
    {"fsync", SYS_fsync, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"fdatasync", SYS_fdatasync, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"sync_file_range", SYS_sync_file_range, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,ENOMEM"},
    {"ftruncate", SYS_ftruncate, FIRST_IS_DESCRIPTOR, 1, "EIO,EINTR"},
    {"fallocate", SYS_fallocate, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,EINTR"},
    {"renameat", SYS_renameat, PATH_IN_DIRECTORY, 1, "ENOSPC,EIO,ENOMEM"},
    {"renameat2", SYS_renameat2, PATH_IN_DIRECTORY, 1, "ENOSPC,EIO,ENOMEM"},
    {"linkat", SYS_linkat, PATH_IN_DIRECTORY, 1, "ENOSPC,EIO,ENOMEM"},
    {"unlinkat", SYS_unlinkat, PATH_IN_DIRECTORY, 1, "EIO,ENOMEM"},
    {"mkdirat", SYS_mkdirat, PATH_IN_DIRECTORY, 1, "ENOSPC,EIO,ENOMEM"},
    {"fchmod", SYS_fchmod, FIRST_IS_DESCRIPTOR, 1, "EIO"},
    {"fchmodat", SYS_fchmodat, PATH_IN_DIRECTORY, 1, "EIO,ENOMEM"},
    {"fchown", SYS_fchown, FIRST_IS_DESCRIPTOR, 1, "EIO"},
    {"utimensat", SYS_utimensat, PATH_IN_DIRECTORY, 1, "EIO,ENOMEM"},
    {"fsetxattr", SYS_fsetxattr, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO"},
    {"fremovexattr", SYS_fremovexattr, FIRST_IS_DESCRIPTOR, 1, "EIO"},
    {"fgetxattr", SYS_fgetxattr, FIRST_IS_DESCRIPTOR, 0, "EIO"},
    {"fstat", SYS_fstat, FIRST_IS_DESCRIPTOR, 0, "EIO"},
    {"newfstatat", SYS_newfstatat, PATH_IN_DIRECTORY, 0, "EIO,ENOMEM"},
    {"statx", SYS_statx, PATH_IN_DIRECTORY, 0, "EIO,ENOMEM"},
    {"readlinkat", SYS_readlinkat, PATH_IN_DIRECTORY, 0, "EIO,ENOMEM"},
    {"faccessat", SYS_faccessat, PATH_IN_DIRECTORY, 0, "EIO,ENOMEM"},
    {"faccessat2", SYS_faccessat2, PATH_IN_DIRECTORY, 0, "EIO,ENOMEM"},
    {"getdents64", SYS_getdents64, FIRST_IS_DESCRIPTOR, 0, "EIO,ENOMEM"},
    {"flock", SYS_flock, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"fcntl", SYS_fcntl, CONTROL, 1, "EMFILE,EINTR"},
    {"copy_file_range", SYS_copy_file_range, FIRST_TO_THIRD, 1, "ENOSPC,EIO,ENOMEM"},
    {"splice", SYS_splice, FIRST_TO_THIRD, 1, "ENOSPC,EIO,EINTR,ENOMEM"},
#ifdef SYS_open
    {"open", SYS_open, FIRST_IS_PATH, 1, "ENOSPC,EIO,EINTR,EMFILE,ENOMEM"},
    {"rename", SYS_rename, FIRST_IS_PATH, 1, "ENOSPC,EIO,ENOMEM"},
    {"link", SYS_link, FIRST_IS_PATH, 1, "ENOSPC,EIO,ENOMEM"},
    {"unlink", SYS_unlink, FIRST_IS_PATH, 1, "EIO,ENOMEM"},
    {"rmdir", SYS_rmdir, FIRST_IS_PATH, 1, "EIO,ENOMEM"},
    {"mkdir", SYS_mkdir, FIRST_IS_PATH, 1, "ENOSPC,EIO,ENOMEM"},
    {"chmod", SYS_chmod, FIRST_IS_PATH, 1, "EIO,ENOMEM"},
    {"stat", SYS_stat, FIRST_IS_PATH, 0, "EIO,ENOMEM"},
    {"lstat", SYS_lstat, FIRST_IS_PATH, 0, "EIO,ENOMEM"},
    {"access", SYS_access, FIRST_IS_PATH, 0, "EIO,ENOMEM"},
    {"readlink", SYS_readlink, FIRST_IS_PATH, 0, "EIO,ENOMEM"},
    {"pipe", SYS_pipe, NO_FILE, 1, "EMFILE"},
    {"epoll_wait", SYS_epoll_wait, NO_FILE, 0, "EINTR"},
    {"poll", SYS_poll, NO_FILE, 0, "EINTR,ENOMEM"},
    {"vfork", SYS_vfork, NO_FILE, 1, "ENOMEM"},
#endif

    // Sockets
    {"socket", SYS_socket, FAMILY, 1, "EMFILE,ENOMEM"},
    {"socketpair", SYS_socketpair, FAMILY, 1, "EMFILE,ENOMEM"},
    {"bind", SYS_bind, FIRST_IS_DESCRIPTOR, 1, "ENOSPC,EIO,ENOMEM"},
    {"listen", SYS_listen, FIRST_IS_DESCRIPTOR, 1, ""},
    {"connect", SYS_connect, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"accept4", SYS_accept4, FIRST_IS_DESCRIPTOR, 1, "EINTR,EMFILE,ENOMEM"},
    {"sendto", SYS_sendto, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"sendmsg", SYS_sendmsg, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"recvfrom", SYS_recvfrom, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"recvmsg", SYS_recvmsg, FIRST_IS_DESCRIPTOR, 1, "EINTR,ENOMEM"},
    {"shutdown", SYS_shutdown, FIRST_IS_DESCRIPTOR, 1, ""},
    {"setsockopt", SYS_setsockopt, FIRST_IS_DESCRIPTOR, 0, "ENOMEM"},
    {"getsockopt", SYS_getsockopt, FIRST_IS_DESCRIPTOR, 0, "ENOMEM"},

    // Waiting
    {"epoll_create1", SYS_epoll_create1, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"epoll_ctl", SYS_epoll_ctl, THIRD_OF_EPOLL, 0, "ENOSPC,ENOMEM"},
    {"epoll_pwait", SYS_epoll_pwait, NO_FILE, 0, "EINTR"},
    {"ppoll", SYS_ppoll, NO_FILE, 0, "EINTR,ENOMEM"},
    {"eventfd2", SYS_eventfd2, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"signalfd4", SYS_signalfd4, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"timerfd_create", SYS_timerfd_create, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"timerfd_settime", SYS_timerfd_settime, NO_FILE, 0, ""},
    {"inotify_init1", SYS_inotify_init1, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"pipe2", SYS_pipe2, NO_FILE, 1, "EMFILE,ENOMEM"},

    // Memory and processes
    {"mmap", SYS_mmap, MAPPING, 0, "ENOMEM"},
    {"clone", SYS_clone, NO_FILE, 1, "ENOMEM"},
    {"clone3", SYS_clone3, NO_FILE, 1, "ENOMEM"},
    {"pidfd_open", SYS_pidfd_open, NO_FILE, 0, "EMFILE,ENOMEM"},
    {"wait4", SYS_wait4, NO_FILE, 1, "EINTR"},
    {"waitid", SYS_waitid, NO_FILE, 1, "EINTR"},
    {"getrandom", SYS_getrandom, NO_FILE, 0, "EINTR"},
    {NULL, 0, NO_FILE, 0, NULL},
};

int errorNumber(const char *name) {
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
        {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM},
    };
    for (size_t index = 0; index < sizeof(errors) / sizeof(errors[0]); index++) {
        if (strcmp(errors[index].name, name) == 0) return errors[index].number;
    }
    return 0;
}

const Call *callOfNumber(long number) {
    for (const Call *call = calls; call->name; call++) {
        if (call->number == number) return call;
    }
    return NULL;
}
