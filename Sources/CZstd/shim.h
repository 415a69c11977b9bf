#ifndef FERRY_CZSTD_SHIM_H
#define FERRY_CZSTD_SHIM_H

#if !__has_include(<zstd.h>)
#error "Ferry needs the headers of zstd: apt install libzstd-dev, dnf install libzstd-devel, pacman -S zstd, zypper install libzstd-devel (README: System packages)"
#else

#include <zstd.h>
#include <zstd_errors.h>

#endif
#endif
