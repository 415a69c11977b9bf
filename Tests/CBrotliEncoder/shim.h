#ifndef FERRY_CBROTLI_ENCODER_SHIM_H
#define FERRY_CBROTLI_ENCODER_SHIM_H

#if !__has_include(<brotli/encode.h>)
#error "The tests need the headers of brotli: apt install libbrotli-dev"
#else

#include <brotli/encode.h>

#endif
#endif
