/* A link between two network namespaces that delays, loses and limits, as `tc netem` does, for kernels that
 * have none (CONFIG_NET_SCH_NETEM). Each end is a TUN device; every packet passes through this process.
 *
 *     lossy-link NAMESPACE-A NAMESPACE-B DELAY-MS LOSS-PERCENT MBIT
 *
 * What goes from B to A is delayed, lost and limited, with a queue of 1000 packets, as one `tc qdisc add dev
 * … root netem delay … loss … rate …` at B would have it. What goes from A to B passes as it comes. SIGUSR1
 * begins an outage in which nothing passes, and SIGUSR2 ends it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 1000, ROOM = 65536, PACKET = 2048 };
struct packet { int64_t due; int size; unsigned char bytes[PACKET]; };

static struct packet queue[ROOM];
static unsigned first, last;            /* Those that are on their way. */
static volatile sig_atomic_t is_out;

static void begin_outage(int number) { (void)number; is_out = 1; }
static void end_outage(int number) { (void)number; is_out = 0; }

static void fail(const char *what) {
    fprintf(stderr, "lossy-link: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int open_end(const char *namespace) {
    char path[256];
    snprintf(path, sizeof path, "/var/run/netns/%s", namespace);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || setns(descriptor, CLONE_NEWNET) < 0) fail(path);
    close(descriptor);
    int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (device < 0) fail("/dev/net/tun");
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strcpy(request.ifr_name, "lossy");
    if (ioctl(device, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
    return device;
}

/* A packet that the device does not take is lost, as on any wire. */
static void deliver(int device, const unsigned char *bytes, int size) {
    if (is_out || write(device, bytes, size) == size) return;
}

int main(int count, char **arguments) {
    if (count != 6) { fprintf(stderr, "usage: lossy-link A B DELAY-MS LOSS-PERCENT MBIT\n"); return 2; }
    int64_t delay = (int64_t)(atof(arguments[3]) * 1e6);
    double loss = atof(arguments[4]) / 100, bytes_per_ns = atof(arguments[5]) * 1e6 / 8 / 1e9;
    int a = open_end(arguments[1]), b = open_end(arguments[2]);
    signal(SIGUSR1, begin_outage);
    signal(SIGUSR2, end_outage);
    srand48(1);
    int64_t line_free = 0;
    unsigned char bytes[PACKET];
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        struct timespec wait, *timeout = NULL;
        if (first != last) {
            int64_t left = queue[first % ROOM].due - now();
            if (left < 0) left = 0;
            wait = (struct timespec){left / 1000000000, left % 1000000000};
            timeout = &wait;
        }
        struct pollfd ends[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
        if (ppoll(ends, 2, timeout, NULL) < 0 && errno != EINTR) fail("ppoll");
        int size;
        while ((size = read(a, bytes, sizeof bytes)) > 0) deliver(b, bytes, size);
        while ((size = read(b, bytes, sizeof bytes)) > 0) {
            int64_t time = now();
            /* netem's own queue holds what waits for the line and what is delayed. */
            int waiting = 0;
            if (line_free > time) waiting = (int)((line_free - time) * bytes_per_ns / 1500);
            if (is_out || drand48() < loss || waiting >= LIMIT || last - first >= ROOM) continue;
            if (line_free < time) line_free = time;
            line_free += (int64_t)(size / bytes_per_ns);
            struct packet *packet = &queue[last++ % ROOM];
            packet->due = line_free + delay;
            packet->size = size;
            memcpy(packet->bytes, bytes, size);
        }
        while (first != last && queue[first % ROOM].due <= now()) {
            deliver(a, queue[first % ROOM].bytes, queue[first % ROOM].size);
            first++;
        }
    }
}
