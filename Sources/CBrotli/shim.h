#ifndef FERRY_CBROTLI_SHIM_H
#define FERRY_CBROTLI_SHIM_H

#if !__has_include(<brotli/decode.h>)
#error "Ferry needs the headers of brotli: apt install libbrotli-dev, dnf install brotli-devel, pacman -S brotli, zypper install libbrotli-devel (README: System packages)"
#else

#include <brotli/decode.h>

#endif
#endif
