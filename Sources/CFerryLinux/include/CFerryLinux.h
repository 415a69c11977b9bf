#ifndef C_FERRY_LINUX_H
#define C_FERRY_LINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>

// Linux calls that Swift's Glibc module hides because it is built without _GNU_SOURCE. The macro
// is set for the sources of this target: set in this header it would change the layout of types that the Glibc
// module has imported already.

/// The layout of `struct ucred`, which glibc hides without _GNU_SOURCE.
typedef struct {
    pid_t pid;
    uid_t uid;
    gid_t gid;
} CFerryLinux_ucred;

extern const int CFerryLinux_O_PATH;
extern const int CFerryLinux_O_TMPFILE;
extern const int CFerryLinux_SEEK_HOLE;
extern const unsigned int CFerryLinux_RENAME_NOREPLACE;
extern const int CFerryLinux_F_SETPIPE_SZ;
extern const int CFerryLinux_F_GETPIPE_SZ;
extern const unsigned int CFerryLinux_SPLICE_F_MOVE;
extern const unsigned int CFerryLinux_SPLICE_F_NONBLOCK;

int CFerryLinux_accept4(int fd, int flags);
int CFerryLinux_pipe2(int *_Nonnull fds, int flags);
int CFerryLinux_renameat2(
    int fromDirectory, const char *_Nonnull from,
    int toDirectory, const char *_Nonnull to, unsigned int flags);
ssize_t CFerryLinux_copy_file_range(
    int from, int64_t *_Nullable fromOffset, int to, int64_t *_Nullable toOffset, size_t count);
/// Makes the file `to` share the content of the file `from` (ioctl_ficlone(2)).
int CFerryLinux_clone(int to, int from);
ssize_t CFerryLinux_splice(
    int from, int64_t *_Nullable fromOffset, int to, int64_t *_Nullable toOffset, size_t count,
    unsigned int flags);
/// Reads bytes of a file that need no wait for a disk or a server (preadv2(2), RWF_NOWAIT).
ssize_t CFerryLinux_preadNoWait(int fd, void *_Nullable bytes, size_t count, int64_t offset);
ssize_t CFerryLinux_fgetxattr(
    int fd, const char *_Nonnull name, void *_Nullable value, size_t size);
int CFerryLinux_fsetxattr(
    int fd, const char *_Nonnull name, const void *_Nonnull value, size_t size);
int CFerryLinux_fremovexattr(int fd, const char *_Nonnull name);

/// Returns whether a descriptor is a pidfd in pidfs (Linux 6.9), which numbers the processes.
int CFerryLinux_isInProcessFileSystem(int descriptor);

int CFerryLinux_pidfd_open(pid_t pid);

// rtnetlink(7), whose headers would define types of the Glibc module again.

extern const uint16_t CFerryLinux_NLMSG_ERROR;
extern const uint16_t CFerryLinux_NLMSG_DONE;
extern const uint16_t CFerryLinux_NLMSG_OVERRUN;
extern const uint16_t CFerryLinux_RTM_GETLINK;
extern const uint16_t CFerryLinux_RTM_NEWLINK;
extern const uint16_t CFerryLinux_RTM_DELLINK;
extern const uint16_t CFerryLinux_RTM_GETROUTE;
extern const uint16_t CFerryLinux_RTM_NEWROUTE;
extern const uint16_t CFerryLinux_RTM_DELROUTE;
extern const uint16_t CFerryLinux_RTM_DELADDR;
extern const uint16_t CFerryLinux_NLM_F_REQUEST;
extern const uint16_t CFerryLinux_NLM_F_DUMP;
extern const uint16_t CFerryLinux_NLM_F_DUMP_INTR;
extern const uint16_t CFerryLinux_NLM_F_REPLACE;
extern const uint16_t CFerryLinux_RTA_DST;
extern const uint16_t CFerryLinux_RTA_OIF;
extern const uint16_t CFerryLinux_RTA_MULTIPATH;
extern const uint16_t CFerryLinux_NLA_TYPE_MASK;
extern const uint8_t CFerryLinux_RT_TABLE_LOCAL;
extern const uint8_t CFerryLinux_RTN_UNICAST;
extern const uint32_t CFerryLinux_RTM_F_CLONED;

/// The sizes of `nlmsghdr`, `ifinfomsg`, `rtmsg` and `rtattr`.
extern const size_t CFerryLinux_messageHeaderSize;
extern const size_t CFerryLinux_linkMessageSize;
extern const size_t CFerryLinux_routeMessageSize;
extern const size_t CFerryLinux_attributeHeaderSize;

int CFerryLinux_openRouteSocket(void);
/// Subscribes to changes of links, addresses and routes; `port` becomes the socket's number.
int CFerryLinux_bindRouteSocket(int fd, uint32_t *_Nonnull port);
/// Like `recv` with MSG_TRUNC; `port` becomes the sender's number.
ssize_t CFerryLinux_receiveFromRouteSocket(
    int fd, void *_Nonnull buffer, size_t size, uint32_t *_Nonnull port);

/// The options of a new process, which it applies before it executes a program.
typedef struct {
    /// The number of descriptors that it is given; each source is at least `firstClosed`.
    size_t descriptorCount;
    /// Greater than 2 and than each target; all descriptors from here on are closed.
    int firstClosed;
    int inNewSession;
    /// Whether the program takes the place of this process, whose other threads run until then.
    int inPlace;
    /// The mask for new files; -1 for this process's.
    int fileModeMask;
    /// The soft limit of descriptors; -1 for this process's.
    int64_t descriptorLimit;
} CFerryLinux_LaunchOptions;

/// The call that failed in a new process, and its errno.
typedef struct {
    char call[16];
    int code;
} CFerryLinux_LaunchFailure;

/// Starts the program whose path is the first argument; `sources[i]` becomes its descriptor `targets[i]`.
/// Returns its process, or -1 and fills in the failure.
pid_t CFerryLinux_launch(
    char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment,
    const char *_Nullable directory, const int *_Nonnull sources, const int *_Nonnull targets,
    const CFerryLinux_LaunchOptions *_Nonnull options,
    CFerryLinux_LaunchFailure *_Nonnull failure);

/// Has the program whose path is the first argument take the place of this process. Returns only if nothing has changed
/// yet; a failure after that ends the process with status 127.
void CFerryLinux_replaceProcess(
    char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment,
    const char *_Nullable directory, const int *_Nonnull sources, const int *_Nonnull targets,
    const CFerryLinux_LaunchOptions *_Nonnull options);

/// Sets the attributes that this process has inherited back to what a login session has, as far as the kernel lets it.
/// Some are those of a thread: call it while there is only one.
void CFerryLinux_resetInheritedAttributes(void);

/// Makes a signal write to an eventfd in place of its action; does nothing if it is ignored, or if the
/// program has a handler and only the default may be replaced.
int CFerryLinux_takeSignal(int number, int fd, int onlyIfDefault);
/// Restores a signal's previous action; does nothing if another handler was installed since.
int CFerryLinux_giveSignalBack(int number);

void CFerryLinux_setThreadName(const char *_Nonnull name);

size_t CFerryLinux_CMSG_SPACE(size_t length);
size_t CFerryLinux_CMSG_LEN(size_t length);
struct cmsghdr *_Nullable CFerryLinux_CMSG_FIRSTHDR(const struct msghdr *_Nonnull message);
struct cmsghdr *_Nullable CFerryLinux_CMSG_NXTHDR(
    struct msghdr *_Nonnull message, struct cmsghdr *_Nonnull header);
unsigned char *_Nonnull CFerryLinux_CMSG_DATA(struct cmsghdr *_Nonnull header);

int CFerryLinux_exited(int status);
int CFerryLinux_exitStatus(int status);
int CFerryLinux_terminationSignal(int status);
const char *_Nullable CFerryLinux_errorName(int code);
char *_Nullable *_Nullable CFerryLinux_environment(void);
/// Returns the number of the file system that an open file is on (statfs(2)); 0 if it is unknown.
uint32_t CFerryLinux_fileSystemType(int descriptor);

#endif
