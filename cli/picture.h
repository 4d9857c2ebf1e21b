// Pictures of a solved problem: an SVG file, and a drawing in text for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace deepsl::cli {

struct Picture {
    struct Coefficient {
        std::string name;     // p, q or w
        std::string formula;  // as typed, or where it comes from
        std::vector<double> values;
    };
    struct Eigenvalue {
        std::size_t index;
        double lambda;
        std::vector<double> u;  // on t; empty if it is not to be drawn
    };

    std::string title;
    std::string subtitle;
    std::vector<double> t;
    std::vector<Coefficient> coefficients;
    std::vector<Eigenvalue> spectrum;  // finite, increasing
};

/// At most this many eigenfunctions are drawn.
constexpr std::size_t svg_curves = 6;
constexpr std::size_t text_curves = 3;

/// A complete SVG document that refers to nothing outside itself.
std::string svg_picture(const Picture& picture);

/// The first eigenfunctions in braille dots, the lowest at the bottom.
std::string text_picture(const Picture& picture);

}  // namespace deepsl::cli
