#include "image_checks.h"

#include <algorithm>

#include "memory.h"

namespace deepsl::data {
namespace {

/// Asking the system takes longer than reading a small file.
constexpr std::uint64_t small = std::uint64_t{1} << 26;

void check_side(const std::string& path, const char* what, std::uint64_t value) {
    if (value < 1 || value > longest_side)
        refuse(path, "it claims images of {} {}, where 1 to {} are allowed; is it the right file?",
               what, value, longest_side);
}

}  // namespace

void ClaimedShape::check(const std::string& path, std::uint64_t bytes_each) const {
    if (count == 0) refuse(path, "there is no image in it; bring a file with one or more");
    check_side(path, "height", height);
    check_side(path, "width", width);
    check_side(path, "channels", channels);
    const auto each = height * width * channels * bytes_each;  // below 2^51
    if (each > most_image_bytes || count > most_image_bytes / each)
        refuse(path,
               "{} images of {} x {} x {} would take more than the {} allowed; split the file",
               count, height, width, channels, shown_size(most_image_bytes));
    const auto total = count * each;
    if (total <= small) return;
    if (const auto available = available_memory(); total > available)
        refuse(path, "its images would take {} of memory and {} are free; take fewer of them",
               shown_size(total), shown_size(available));
}

ImageShape ClaimedShape::shape() const {
    return {static_cast<std::size_t>(height), static_cast<std::size_t>(width),
            static_cast<std::size_t>(channels)};
}

std::size_t ClaimedShape::values() const {
    return static_cast<std::size_t>(count * height * width * channels);
}

void check_label_count(const std::string& path, std::uint64_t labels, std::uint64_t images) {
    if (labels != images)
        refuse(path, "{} for {}; there has to be one for each image, so are they of the same part?",
               counted(labels, "label"), counted(images, "image"));
}

std::vector<std::string> names_of_numbers(const std::string& path,
                                          std::span<const std::int64_t> labels, std::size_t least) {
    std::int64_t largest = -1;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] < 0 || labels[i] > static_cast<std::int64_t>(largest_label))
            refuse(path, "label {} is {}, where 0 to {} are allowed; number the classes from 0 on",
                   i + 1, labels[i], largest_label);
        largest = std::max(largest, labels[i]);
    }
    std::vector<std::string> classes;
    const auto count = std::max(least, static_cast<std::size_t>(largest + 1));
    for (std::size_t label = 0; label < count; ++label) classes.push_back(std::to_string(label));
    return classes;
}

}  // namespace deepsl::data
