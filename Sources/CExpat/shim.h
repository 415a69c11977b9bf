#ifndef FERRY_CEXPAT_SHIM_H
#define FERRY_CEXPAT_SHIM_H

#if !__has_include(<expat.h>)
#error "Ferry's command needs the headers of Expat: apt install libexpat1-dev, dnf install expat-devel, pacman -S expat, zypper install libexpat-devel (README: System packages)"
#else

#include <expat.h>

#endif
#endif
