// A model of images as one HTML page: how good it is, and a few images with the line that each of
// them lies on, from boundary to boundary: pictures, scores, p, q, w and eigenfunctions over t.
//
//     F(z(t)) = c + sum over fields of what they add;   of the line's own field: L u(t)
//
// Plain data in, text out, as in page.h. Whatever is empty is left out of the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/report/page.h"

namespace deepsl::report {

/// Gray (one channel) or red, green and blue (three), the top row first.
struct Picture {
    std::size_t height = 0, width = 0, channels = 1;
    std::vector<std::uint8_t> pixels;  // [height, width, channels]

    bool empty() const { return pixels.empty(); }
};

/// An image of the data near some place of a line.
struct NearImage {
    Picture picture;
    std::size_t number = 0;  // of the image, from 0
    int label = -1;          // its true class, or -1
    double distance = 0.0;
};

/// A place of a line, and what the model says there when it is asked anew.
struct LinePlace {
    double t = 0.0;
    std::vector<double> scores;         // [class]; empty if there is no answer
    std::vector<double> probabilities;  // [class]; likewise
    Picture picture;                    // of the place itself, on lines of pixels
    std::vector<float> change;          // [height, width]: pixels less the sample's; may be empty
    std::vector<NearImage> nearest;     // behind an encoder, the nearest first
};

/// The line of one field through an image. `line.contributions` is not looked at.
struct ImageLine {
    std::size_t field = 0;
    SampleLine line;
    std::vector<std::vector<double>> added;   // [class, point of line.u_t]: what the field adds
    std::vector<double> score_t;              // [point]
    std::vector<std::vector<double>> scores;  // [class, point]: F, asked anew at every point
    std::vector<LinePlace> places;            // in order of t; one of them is the sample, t = 0
};

struct ImageSample {
    std::size_t number = 0;  // of the image, from 0
    std::string name;        // its file's, may be empty
    Picture picture;
    int predicted = -1, actual = -1;          // -1: unknown
    std::vector<double> probabilities;        // [class]
    std::vector<double> constant;             // [class]: c
    std::vector<std::vector<double>> shares;  // [field, class]: what the fields add at the image
    std::vector<ImageLine> lines;             // of some of the fields, or of all
    std::string failure;                      // why there is no answer, else empty
};

struct ImageGroup {
    std::string title, lead;
    std::vector<ImageSample> samples;
};

struct ImageReport {
    std::string title, subtitle;
    std::vector<Fact> facts;
    std::vector<std::pair<std::string, std::string>> settings;  // name, value
    std::vector<std::string> classes;
    std::size_t fields = 1;

    /// The lines are in a latent space, and pictures beside them are the nearest of the data:
    /// of `compared` images, which are so far from their own nearest in the middle.
    bool latent = false;
    std::size_t compared = 0;
    double usual_distance = Epoch::unknown;

    Matrix<std::int64_t> confusion;  // [true class, taken for]; empty without labels
    std::vector<ImageSample> wrong;  // the surest first: picture, classes, probabilities
    std::size_t wrong_in_all = 0;
    std::vector<ImageGroup> groups;
};

/// A complete page that loads nothing, below 2 MB for images of any size: pictures are shrunk where
/// there are too many pixels. Throws Error if arrays that belong together differ in length.
std::string html_image_report(const ImageReport& report);

}  // namespace deepsl::report
