#ifndef FERRY_CZLIB_SHIM_H
#define FERRY_CZLIB_SHIM_H

#if !__has_include(<zlib.h>)
#error "Ferry needs the headers of zlib: apt install zlib1g-dev, dnf install zlib-devel, pacman -S zlib, zypper install zlib-devel (README: System packages)"
#else

#include <zlib.h>

// inflateInit2 and deflateInit2 are macros that Swift does not import.

static inline int CZlib_inflateInit(z_streamp stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

static inline int CZlib_deflateInit(z_streamp stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}

#endif
#endif
