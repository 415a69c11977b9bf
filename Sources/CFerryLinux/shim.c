#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE (cSettings)"
#endif

#include "CFerryLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

_Static_assert(sizeof(CFerryLinux_ucred) == sizeof(struct ucred), "ucred layout");
_Static_assert(sizeof(off64_t) == sizeof(int64_t), "off64_t");

const int CFerryLinux_O_PATH = O_PATH;
const int CFerryLinux_O_TMPFILE = O_TMPFILE;
const int CFerryLinux_SEEK_HOLE = SEEK_HOLE;
const unsigned int CFerryLinux_RENAME_NOREPLACE = RENAME_NOREPLACE;
const int CFerryLinux_F_SETPIPE_SZ = F_SETPIPE_SZ;
const int CFerryLinux_F_GETPIPE_SZ = F_GETPIPE_SZ;
const unsigned int CFerryLinux_SPLICE_F_MOVE = SPLICE_F_MOVE;
const unsigned int CFerryLinux_SPLICE_F_NONBLOCK = SPLICE_F_NONBLOCK;

int CFerryLinux_accept4(int fd, int flags) { return accept4(fd, NULL, NULL, flags); }
int CFerryLinux_pipe2(int *fds, int flags) { return pipe2(fds, flags); }

int CFerryLinux_renameat2(
    int fromDirectory, const char *from, int toDirectory, const char *to, unsigned int flags) {
    return renameat2(fromDirectory, from, toDirectory, to, flags);
}

ssize_t CFerryLinux_copy_file_range(
    int from, int64_t *fromOffset, int to, int64_t *toOffset, size_t count) {
    return copy_file_range(from, (off64_t *)fromOffset, to, (off64_t *)toOffset, count, 0);
}

int CFerryLinux_clone(int to, int from) { return ioctl(to, FICLONE, from); }

ssize_t CFerryLinux_splice(
    int from, int64_t *fromOffset, int to, int64_t *toOffset, size_t count, unsigned int flags) {
    return splice(from, (off64_t *)fromOffset, to, (off64_t *)toOffset, count, flags);
}

ssize_t CFerryLinux_preadNoWait(int fd, void *bytes, size_t count, int64_t offset) {
    struct iovec room = {.iov_base = bytes, .iov_len = count};
    return preadv2(fd, &room, 1, offset, RWF_NOWAIT);
}

ssize_t CFerryLinux_fgetxattr(int fd, const char *name, void *value, size_t size) {
    return fgetxattr(fd, name, value, size);
}

int CFerryLinux_fsetxattr(int fd, const char *name, const void *value, size_t size) {
    return fsetxattr(fd, name, value, size, 0);
}

int CFerryLinux_fremovexattr(int fd, const char *name) { return fremovexattr(fd, name); }

int CFerryLinux_pidfd_open(pid_t pid) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

void CFerryLinux_setThreadName(const char *name) { pthread_setname_np(pthread_self(), name); }

size_t CFerryLinux_CMSG_SPACE(size_t length) { return CMSG_SPACE(length); }
size_t CFerryLinux_CMSG_LEN(size_t length) { return CMSG_LEN(length); }
struct cmsghdr *CFerryLinux_CMSG_FIRSTHDR(const struct msghdr *message) {
    return CMSG_FIRSTHDR(message);
}
struct cmsghdr *CFerryLinux_CMSG_NXTHDR(struct msghdr *message, struct cmsghdr *header) {
    return CMSG_NXTHDR(message, header);
}
unsigned char *CFerryLinux_CMSG_DATA(struct cmsghdr *header) { return CMSG_DATA(header); }

int CFerryLinux_exited(int status) { return WIFEXITED(status); }
int CFerryLinux_exitStatus(int status) { return WEXITSTATUS(status); }
int CFerryLinux_terminationSignal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
const char *CFerryLinux_errorName(int code) { return strerrorname_np(code); }
char **CFerryLinux_environment(void) { return environ; }

uint32_t CFerryLinux_fileSystemType(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 ? (uint32_t)status.f_type : 0;
}

int CFerryLinux_isInProcessFileSystem(int descriptor) {
    // PID_FS_MAGIC, which older headers lack.
    return CFerryLinux_fileSystemType(descriptor) == 0x50494446;
}
