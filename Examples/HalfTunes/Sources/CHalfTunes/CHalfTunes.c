#include "CHalfTunes.h"
