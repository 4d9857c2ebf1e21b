// The program draws with the library's parts.
#pragma once

#include "deepsl/report/svg.h"

namespace deepsl::cli {

using report::Axis;
using report::axis_of;
using report::Drawing;
using report::escaped;
using report::faint;
using report::ink;
using report::label;
using report::power_label;
using report::rule;

}  // namespace deepsl::cli
