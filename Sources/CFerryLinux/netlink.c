#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE (cSettings)"
#endif

#include "CFerryLinux.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

const uint16_t CFerryLinux_NLMSG_ERROR = NLMSG_ERROR;
const uint16_t CFerryLinux_NLMSG_DONE = NLMSG_DONE;
const uint16_t CFerryLinux_NLMSG_OVERRUN = NLMSG_OVERRUN;
const uint16_t CFerryLinux_RTM_GETLINK = RTM_GETLINK;
const uint16_t CFerryLinux_RTM_NEWLINK = RTM_NEWLINK;
const uint16_t CFerryLinux_RTM_DELLINK = RTM_DELLINK;
const uint16_t CFerryLinux_RTM_GETROUTE = RTM_GETROUTE;
const uint16_t CFerryLinux_RTM_NEWROUTE = RTM_NEWROUTE;
const uint16_t CFerryLinux_RTM_DELROUTE = RTM_DELROUTE;
const uint16_t CFerryLinux_RTM_DELADDR = RTM_DELADDR;
const uint16_t CFerryLinux_NLM_F_REQUEST = NLM_F_REQUEST;
const uint16_t CFerryLinux_NLM_F_DUMP = NLM_F_DUMP;
const uint16_t CFerryLinux_NLM_F_DUMP_INTR = NLM_F_DUMP_INTR;
const uint16_t CFerryLinux_NLM_F_REPLACE = NLM_F_REPLACE;
const uint16_t CFerryLinux_RTA_DST = RTA_DST;
const uint16_t CFerryLinux_RTA_OIF = RTA_OIF;
const uint16_t CFerryLinux_RTA_MULTIPATH = RTA_MULTIPATH;
const uint16_t CFerryLinux_NLA_TYPE_MASK = (uint16_t)NLA_TYPE_MASK;
const uint8_t CFerryLinux_RT_TABLE_LOCAL = RT_TABLE_LOCAL;
const uint8_t CFerryLinux_RTN_UNICAST = RTN_UNICAST;
const uint32_t CFerryLinux_RTM_F_CLONED = RTM_F_CLONED;

const size_t CFerryLinux_messageHeaderSize = sizeof(struct nlmsghdr);
const size_t CFerryLinux_linkMessageSize = sizeof(struct ifinfomsg);
const size_t CFerryLinux_routeMessageSize = sizeof(struct rtmsg);
const size_t CFerryLinux_attributeHeaderSize = sizeof(struct rtattr);

int CFerryLinux_openRouteSocket(void) {
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
}

int CFerryLinux_bindRouteSocket(int fd, uint32_t *port) {
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR
            | RTMGRP_IPV6_ROUTE,
    };
    socklen_t size = sizeof(address);
    if (bind(fd, (struct sockaddr *)&address, size) != 0) return -1;
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return -1;
    *port = address.nl_pid;
    return 0;
}

ssize_t CFerryLinux_receiveFromRouteSocket(int fd, void *buffer, size_t size, uint32_t *port) {
    struct sockaddr_nl address = {0};
    socklen_t length = sizeof(address);
    ssize_t count = recvfrom(fd, buffer, size, MSG_TRUNC, (struct sockaddr *)&address, &length);
    *port = address.nl_pid;
    return count;
}
