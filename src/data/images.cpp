#include "deepsl/data/images.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "image_checks.h"
#include "image_cifar.h"
#include "image_folder.h"
#include "image_idx.h"
#include "image_labels.h"
#include "image_npy.h"
#include "image_npz.h"

namespace deepsl::data {
namespace {

namespace fs = std::filesystem;

enum class FileKind { npy, npz, cifar, picture, idx };

/// By the name; IDX files have none of these.
FileKind kind_of(const std::string& path) {
    if (is_picture_name(path)) return FileKind::picture;
    if (path.ends_with(".npy")) return FileKind::npy;
    if (path.ends_with(".npz")) return FileKind::npz;
    if (path.ends_with(".bin")) return FileKind::cifar;
    return FileKind::idx;
}

Images read_picture(const std::string& path, const ImageOptions& options) {
    Images images;
    images.path = path;
    images.names = {fs::path(path).filename().string()};
    read_pictures({path}, options.shape, images);
    return images;
}

Images read_file(const std::string& path, const ImageOptions& options) {
    const auto kind = kind_of(path);
    if (kind == FileKind::picture) return read_picture(path, options);
    const FileBytes source(path);
    switch (kind) {
        case FileKind::npy: return read_npy_images(*open_stream(source, path), path);
        case FileKind::npz: return read_npz(source, path, options.part, options.labels.empty());
        case FileKind::cifar:
            return read_cifar({{path, &source}},
                              find_cifar_classes(fs::path(path).parent_path().string()));
        case FileKind::idx:
        case FileKind::picture: break;
    }
    if (!begins_as_idx(source, path))
        refuse(
            path,
            "it is no file of images that is known: IDX, NPY, NPZ, CIFAR-10's .bin, PNG or JPEG; "
            "is it the right file?");
    return read_idx_images(source, path);
}

}  // namespace

std::string shown_shape(const ImageShape& shape) {
    const auto sides = fmt::format("{} x {}", shape.height, shape.width);
    if (shape.channels == 1) return sides + " gray";
    if (shape.channels == 3) return sides + " colour";
    return fmt::format("{} of {}", sides, counted(shape.channels, "channel"));
}

std::size_t Images::size() const {
    return shape.size() == 0 ? 0 : std::max(bytes.size(), floats.size()) / shape.size();
}

void Images::read(std::size_t image, std::span<float> out) const {
    if (image >= size() || out.size() != shape.size())
        throw std::out_of_range("an image that is not there, or room of another size");
    const auto first = static_cast<std::ptrdiff_t>(image * shape.size());
    const auto count = static_cast<std::ptrdiff_t>(shape.size());
    if (!floats.empty()) {
        std::copy_n(floats.begin() + first, count, out.begin());
        return;
    }
    std::transform(bytes.begin() + first, bytes.begin() + first + count, out.begin(),
                   [](std::uint8_t value) { return static_cast<float>(value) / 255.0F; });
}

bool is_image_data(const std::string& path) try {
    std::error_code failed;
    if (fs::is_directory(path, failed)) return true;
    if (kind_of(path) != FileKind::idx) return true;
    // Looking into a pipe would take bytes from whoever reads it next.
    return fs::is_regular_file(path, failed) && begins_as_idx(FileBytes(path), path);
} catch (const Error&) {
    return false;
}

Images read_images(const std::string& path, const ImageOptions& options) {
    std::error_code failed;
    auto images = fs::is_directory(path, failed) ? read_image_folder(path, options)
                                                 : read_file(path, options);
    images.path = path;
    if (!options.labels.empty()) read_labels(FileBytes(options.labels), options.labels, images);
    if (options.shape && images.shape != *options.shape)
        refuse(path, "its images are {}, where {} is needed; bring them to that size",
               shown_shape(images.shape), shown_shape(*options.shape));
    return images;
}

}  // namespace deepsl::data
