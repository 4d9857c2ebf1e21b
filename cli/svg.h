// The program draws with the library's parts.
#pragma once

#include "../src/io/svg.h"

namespace deepsl::cli {

using io::Axis;
using io::axis_of;
using io::Drawing;
using io::escaped;
using io::faint;
using io::ink;
using io::label;
using io::power_label;
using io::rule;

}  // namespace deepsl::cli
