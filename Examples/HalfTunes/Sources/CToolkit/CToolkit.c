#include "CToolkit.h"
