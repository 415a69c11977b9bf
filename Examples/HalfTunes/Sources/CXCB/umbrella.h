#pragma once
#include <xcb/damage.h>
#include <xcb/xcb.h>
