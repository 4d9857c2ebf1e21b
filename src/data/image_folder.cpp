#include "image_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "deepsl/option.h"
#include "image_checks.h"
#include "image_cifar.h"
#include "image_idx.h"

namespace deepsl::data {
namespace {

namespace fs = std::filesystem;

std::string in_folder(const std::string& folder, const std::string& name) {
    return (fs::path(folder) / name).string();
}

bool is_file(const std::string& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

/// What a folder holds, sorted; hidden names are left out.
struct Listing {
    std::vector<std::string> folders, pictures, other_pictures;
};

std::string ending(const std::string& name) {
    auto text = fs::path(name).extension().string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Listing list(const std::string& path) {
    constexpr std::array<std::string_view, 6> others = {".gif",  ".bmp",  ".tif",
                                                        ".tiff", ".webp", ".ppm"};
    Listing listing;
    std::error_code failed;
    fs::directory_iterator entries(path, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        const auto name = entries->path().filename().string();
        if (name.starts_with('.')) continue;
        std::error_code unknown;
        if (entries->is_directory(unknown))
            listing.folders.push_back(name);
        else if (is_picture_name(name))
            listing.pictures.push_back(name);
        else if (std::find(others.begin(), others.end(), ending(name)) != others.end())
            listing.other_pictures.push_back(name);
    }
    if (failed)
        refuse(path, "the folder cannot be read: {}; check its permissions", failed.message());
    for (auto* names : {&listing.folders, &listing.pictures, &listing.other_pictures})
        std::sort(names->begin(), names->end());
    if (!listing.other_pictures.empty())
        refuse(in_folder(path, listing.other_pictures[0]),
               "pictures of this kind are not read; convert it to PNG or JPEG");
    return listing;
}

/// MNIST's file with or without .gz, with its original name or with the dot that some archives
/// have.
std::string find_mnist(const std::string& folder, ImagePart part, const std::string& what) {
    const std::string start = part == ImagePart::train ? "train-" : "t10k-";
    for (const auto* joint : {"-", "."})
        for (const auto* end : {"", ".gz"}) {
            const auto dimensions = what == "images" ? "idx3-ubyte" : "idx1-ubyte";
            auto path = in_folder(folder, start + what + joint + dimensions + end);
            if (is_file(path)) return path;
        }
    return {};
}

Images read_mnist(const std::string& folder, const ImageOptions& options) {
    const auto path = find_mnist(folder, options.part, "images");
    if (path.empty())
        refuse(folder, "it has no {}-images-idx3-ubyte (.gz), so there is no part {} in it",
               options.part == ImagePart::train ? "train" : "t10k", name(options.part));
    auto images = read_idx_images(FileBytes(path), path);
    images.part = options.part;
    const auto labels = find_mnist(folder, options.part, "labels");
    if (labels.empty() || !options.labels.empty()) return images;
    images.labels = read_idx_labels(FileBytes(labels), labels, images.size());
    images.classes = names_of_numbers(labels, images.labels, 10);
    return images;
}

bool is_cifar(const std::string& folder) {
    return is_file(in_folder(folder, "data_batch_1.bin")) ||
           is_file(in_folder(folder, "test_batch.bin"));
}

/// The folder, at most two levels deeper, that has MNIST's or CIFAR-10's files; empty if none has.
std::string deeper_layout(const std::string& folder, int levels = 2) {
    std::error_code failed;
    fs::directory_iterator entries(folder, failed);
    for (; !failed && levels > 0 && entries != fs::directory_iterator();
         entries.increment(failed)) {
        std::error_code unknown;
        if (!entries->is_directory(unknown)) continue;
        const auto inner = entries->path().string();
        const bool mnist = !find_mnist(inner, ImagePart::train, "images").empty() ||
                           !find_mnist(inner, ImagePart::test, "images").empty();
        if (mnist || is_cifar(inner)) return inner;
        if (auto found = deeper_layout(inner, levels - 1); !found.empty()) return found;
    }
    return {};
}

/// Where there are no pictures there may be something that people take for images.
[[noreturn]] void refuse_without_pictures(const std::string& folder, const std::string& problem) {
    if (const auto deeper = deeper_layout(folder); !deeper.empty())
        refuse(folder, "the files of MNIST or CIFAR-10 are in {}; give that folder",
               in_quotes(deeper));
    refuse(folder, "{}", problem);
}

Images read_cifar_folder(const std::string& folder, const ImageOptions& options) {
    std::vector<std::string> names = {"test_batch.bin"};
    if (options.part == ImagePart::train)
        names = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                 "data_batch_5.bin"};
    std::vector<std::unique_ptr<FileBytes>> sources;
    std::vector<CifarFile> files;
    for (const auto& batch : names) {
        const auto path = in_folder(folder, batch);
        if (!is_file(path))
            refuse(folder, "it has no {}, which belongs to the part {} of CIFAR-10; bring it",
                   batch, name(options.part));
        sources.push_back(std::make_unique<FileBytes>(path));
        files.push_back({path, sources.back().get()});
    }
    auto images = read_cifar(files, find_cifar_classes(folder));
    images.part = options.part;
    return images;
}

/// Pictures in a folder per class, or in none.
Images read_picture_folder(const std::string& folder, const std::string& start,
                           const Listing& listing, const ImageOptions& options) {
    Images images;
    images.path = folder;
    std::vector<std::string> files;
    const auto add = [&](const std::string& name) {
        files.push_back(in_folder(folder, name));
        images.names.push_back(start + name);
    };
    if (!listing.folders.empty() && !listing.pictures.empty())
        refuse(folder,
               "it has folders and, beside them, pictures such as {}; move these into the folder "
               "of their class",
               in_quotes(listing.pictures[0], 60));
    if (!listing.folders.empty() && !options.labels.empty())
        refuse(folder,
               "it has a folder per class and a file of labels is given; leave one of them out");
    for (const auto& picture : listing.pictures) add(picture);
    for (const auto& name : listing.folders) {
        if (printable(name) != name)
            refuse(in_folder(folder, name),
                   "its name is no text in UTF-8 on one line, as that of a class "
                   "has to be; rename it");
        const auto inner = list(in_folder(folder, name));
        if (!inner.folders.empty())
            refuse_without_pictures(
                in_folder(folder, name),
                fmt::format("it holds the folder {}, where pictures of one class are expected; "
                            "give a folder of folders of pictures",
                            in_quotes(inner.folders[0], 60)));
        if (inner.pictures.empty())
            refuse_without_pictures(in_folder(folder, name),
                                    "there is no PNG or JPEG in this folder of a class; fill it, "
                                    "or take it out of here");
        for (const auto& picture : inner.pictures) {
            add((fs::path(name) / picture).string());
            images.labels.push_back(static_cast<std::int64_t>(images.classes.size()));
        }
        images.classes.push_back(name);
    }
    if (files.empty())
        refuse_without_pictures(folder,
                                "there are no images in it: neither MNIST's nor CIFAR-10's files, "
                                "nor PNG or JPEG, nor folders of them");
    read_pictures(files, options.shape, images);
    return images;
}

/// Whether train/ and test/ are parts. One of them beside other folders is a class of that name.
bool has_parts(const Listing& listing) {
    const auto parts =
        std::count_if(listing.folders.begin(), listing.folders.end(),
                      [](const auto& name) { return named<ImagePart>(name).has_value(); });
    return parts == 2 || (parts == 1 && listing.folders.size() == 1);
}

}  // namespace

bool is_picture_name(const std::string& name) {
    constexpr std::array<std::string_view, 3> endings = {".png", ".jpg", ".jpeg"};
    return std::find(endings.begin(), endings.end(), ending(name)) != endings.end();
}

Images read_image_folder(const std::string& path, const ImageOptions& options) {
    for (const auto part : {ImagePart::train, ImagePart::test})
        if (!find_mnist(path, part, "images").empty()) return read_mnist(path, options);
    if (is_cifar(path)) return read_cifar_folder(path, options);
    if (is_file(in_folder(path, "data_batch_1")))
        refuse(path,
               "it has CIFAR-10 as objects of Python, which are not read; bring the binary "
               "version, whose files end in .bin");
    const auto listing = list(path);
    const std::string part(name(options.part));
    if (has_parts(listing)) {
        if (std::find(listing.folders.begin(), listing.folders.end(), part) ==
            listing.folders.end())
            refuse(path, "there is no folder {} in it, beside {}; add it", in_quotes(part),
                   in_quotes(listing.folders[0]));
        const auto folder = in_folder(path, part);
        auto images = read_picture_folder(folder, part + "/", list(folder), options);
        images.part = options.part;
        return images;
    }
    if (!listing.folders.empty() && options.part == ImagePart::test && !options.or_whole)
        refuse(path,
               "it has no part test: give a folder with folders train and test in it, or ask for "
               "the part train (--part train), which is all of a folder per class");
    return read_picture_folder(path, "", listing, options);
}

}  // namespace deepsl::data
