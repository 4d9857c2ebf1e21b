#include "image_npz.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "deepsl/option.h"
#include "image_checks.h"
#include "image_npy.h"
#include "zip.h"

namespace deepsl::data {
namespace {

/// Names of arrays that belong together.
struct Names {
    std::string_view images, labels;
};

constexpr std::array<Names, 2> train_names = {
    {{"x_train", "y_train"}, {"train_images", "train_labels"}}};
constexpr std::array<Names, 2> test_names = {
    {{"x_test", "y_test"}, {"test_images", "test_labels"}}};
constexpr std::array<Names, 2> whole_names = {{{"images", "labels"}, {"x", "y"}}};

const ZipEntry* find(const ZipFile& file, std::string_view array) {
    for (const auto& entry : file.entries())
        if (entry.name.ends_with(".npy") && entry.name.size() == array.size() + 4 &&
            entry.name.starts_with(array))
            return &entry;
    return nullptr;
}

const Names* find(const ZipFile& file, std::span<const Names> candidates) {
    for (const auto& names : candidates)
        if (find(file, names.images) != nullptr) return &names;
    return nullptr;
}

[[noreturn]] void refuse_names(const ZipFile& file, const std::string& path, ImagePart part) {
    constexpr std::size_t most_shown = 8;
    std::vector<std::string> found;
    for (const auto& entry : file.entries())
        if (found.size() < most_shown) found.push_back(in_quotes(entry.name, 40));
    refuse(path,
           "it has the arrays {}{}; name those of the part {} {} and {}, or images and labels",
           fmt::join(found, ", "), file.entries().size() > most_shown ? ", .." : "", name(part),
           part == ImagePart::train ? "x_train" : "x_test",
           part == ImagePart::train ? "y_train" : "y_test");
}

std::string shown_place(const std::string& path, const ZipEntry& entry) {
    return fmt::format("{}, {}", path, entry.name);
}

}  // namespace

Images read_npz(const ByteSource& source, const std::string& path, ImagePart part,
                bool with_labels) {
    const ZipFile file(source, path);
    const auto* names = find(file, part == ImagePart::train ? train_names : test_names);
    const bool has_parts = names != nullptr;
    const bool has_other_part =
        find(file, part == ImagePart::train ? test_names : train_names) != nullptr;
    if (names == nullptr && !has_other_part) names = find(file, whole_names);
    if (names == nullptr) refuse_names(file, path, part);

    const auto& entry = *find(file, names->images);
    auto images = read_npy_images(*file.open(entry), shown_place(path, entry));
    images.path = path;
    if (has_parts) images.part = part;
    const auto* labels = find(file, names->labels);
    if (labels == nullptr || !with_labels) return images;
    const auto place = shown_place(path, *labels);
    images.labels = read_npy_labels(*file.open(*labels), place, images.size());
    images.classes = names_of_numbers(place, images.labels, 0);
    return images;
}

}  // namespace deepsl::data
