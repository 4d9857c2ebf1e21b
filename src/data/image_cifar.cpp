#include "image_cifar.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include "deepsl/io/file.h"
#include "image_checks.h"

namespace deepsl::data {
namespace {

constexpr std::size_t side = 32, channels = 3, plane = side * side;
constexpr std::size_t record_bytes = 1 + channels * plane;
constexpr std::size_t fine_record_bytes = 2 + channels * plane;  // CIFAR-100's, of two labels

std::uint64_t records_in(const CifarFile& file) {
    const auto size = file.source->size();
    if (size > 0 && size % record_bytes == 0) return size / record_bytes;
    if (size > 0 && size % fine_record_bytes == 0)
        refuse(file.path,
               "it has records of {} bytes, as CIFAR-100; only CIFAR-10's of {} are read",
               fine_record_bytes, record_bytes);
    refuse(file.path, "its {} bytes are not records of {}, as CIFAR-10's are; bring the whole file",
           size, record_bytes);
}

}  // namespace

std::vector<std::string> parse_cifar_classes(std::string_view text, const std::string& path) {
    constexpr std::size_t most = 256, longest = 1000;
    std::vector<std::string> classes;
    bool blank = false;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto name = trimmed(line);
        if (name.empty()) {
            blank = true;  // allowed at the end only
            continue;
        }
        if (blank) refuse(path, "there is a blank line between the names of classes; remove it");
        if (name.size() > longest || printable(name) != name)
            refuse(path, "line {} is not the name of a class; write one in each line",
                   classes.size() + 1);
        if (std::find(classes.begin(), classes.end(), name) != classes.end())
            refuse(path, "the class {} is named twice; remove one", in_quotes(name, 60));
        if (classes.size() == most)
            refuse(path, "it names more than {} classes, which a label of one byte cannot be",
                   most);
        classes.emplace_back(name);
    }
    if (classes.empty()) refuse(path, "it names no class; write one in each line");
    return classes;
}

std::vector<std::string> find_cifar_classes(const std::string& folder) {
    constexpr std::uint64_t longest = 1'000'000;
    const auto path = (std::filesystem::path(folder) / "batches.meta.txt").string();
    std::error_code failed;
    if (std::filesystem::is_regular_file(path, failed))
        return parse_cifar_classes(io::read_file(path, longest), path);
    return {"airplane", "automobile", "bird",  "cat",  "deer",
            "dog",      "frog",       "horse", "ship", "truck"};
}

Images read_cifar(const std::vector<CifarFile>& files, const std::vector<std::string>& classes) {
    ClaimedShape claimed{0, side, side, channels};
    for (const auto& file : files) claimed.count += records_in(file);
    claimed.check(files.at(0).path, 1);
    Images images;
    images.path = files[0].path;
    images.shape = claimed.shape();
    images.classes = classes;
    images.bytes.resize(claimed.values());
    images.labels.reserve(static_cast<std::size_t>(claimed.count));
    auto* pixel = images.bytes.data();
    std::array<std::uint8_t, record_bytes> record{};
    for (const auto& file : files) {
        const auto records = records_in(file);
        for (std::uint64_t i = 0; i < records; ++i) {
            file.source->read(i * record_bytes, std::as_writable_bytes(std::span(record)));
            if (record[0] >= classes.size())
                refuse(file.path, "record {} has the label {}, where there are {}; is it CIFAR-10?",
                       i + 1, record[0], counted(classes.size(), "class"));
            images.labels.push_back(record[0]);
            for (std::size_t place = 0; place < plane; ++place)
                for (std::size_t channel = 0; channel < channels; ++channel)
                    *pixel++ = record[1 + channel * plane + place];
        }
    }
    return images;
}

}  // namespace deepsl::data
