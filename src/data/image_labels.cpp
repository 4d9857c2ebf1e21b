#include "image_labels.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "deepsl/data/table.h"
#include "image_checks.h"
#include "image_idx.h"
#include "image_npy.h"

namespace deepsl::data {
namespace {

constexpr std::uint64_t longest_text = 1'000'000'000;

/// All cells as texts, the first line included.
Table text_table(std::string_view text, const std::string& path) {
    TableOptions options;
    options.header = false;
    options.texts = parse_table(text, path, options).names();
    return parse_table(text, path, options);
}

const std::string& cell(const Table& table, std::size_t column, std::size_t row) {
    const auto code = table.columns[column].codes[row];
    if (code == Column::missing)
        refuse(fmt::format("{}, line {}", table.path, table.lines[row]),
               "the {} is missing; fill it in",
               column + 1 == table.columns.size() ? "label" : "file");
    return table.columns[column].texts[code];
}

/// Distinct, in order: whole numbers by their value, else texts by their bytes.
std::vector<std::string> sorted_classes(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    const auto number = [](const std::string& text) { return to_number<std::int64_t>(text); };
    if (std::all_of(texts.begin(), texts.end(), number))
        std::stable_sort(texts.begin(), texts.end(), [&](const auto& left, const auto& right) {
            return *number(left) < *number(right);
        });
    return texts;
}

void set_labels(const std::string& path, const std::vector<std::string>& texts, Images& images) {
    images.classes = sorted_classes(texts);
    if (images.classes.size() > largest_label + 1)
        refuse(path, "{} different labels, where {} are allowed; are they classes?",
               grouped(images.classes.size()), grouped(largest_label + 1));
    std::unordered_map<std::string_view, std::int64_t> places;
    for (std::size_t i = 0; i < images.classes.size(); ++i)
        places.emplace(images.classes[i], static_cast<std::int64_t>(i));
    images.labels.clear();
    for (const auto& text : texts) images.labels.push_back(places.at(text));
}

/// The image that a row names.
class Finder {
public:
    explicit Finder(const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto file = std::filesystem::path(names[i]).filename();
            names_.emplace(names[i], i);
            names_.emplace(file.string(), i);  // without train/
            const auto [other, is_new] = stems_.emplace(file.stem().string(), i);
            if (!is_new) other->second.reset();  // two files of one stem: it names none
        }
    }
    std::optional<std::size_t> find(const std::string& text) const {
        if (const auto name = names_.find(text); name != names_.end()) return name->second;
        const auto stem = stems_.find(text);
        return stem == stems_.end() ? std::nullopt : stem->second;
    }

private:
    std::unordered_map<std::string, std::size_t> names_;
    std::unordered_map<std::string, std::optional<std::size_t>> stems_;
};

void labels_by_file(const Table& table, std::size_t first, Images& images) {
    const Finder finder(images.names);
    std::vector<std::string> texts(images.size());
    std::vector<std::size_t> lines(images.size(), 0);
    for (std::size_t row = first; row < table.rows(); ++row) {
        const auto& file = cell(table, 0, row);
        const auto where = fmt::format("{}, line {}", table.path, table.lines[row]);
        const auto image = finder.find(file);
        if (!image) refuse(where, "there is no image called {}; correct it", in_quotes(file, 60));
        if (lines[*image] != 0)
            refuse(where, "{} has a label in line {} already; remove one", in_quotes(file, 60),
                   lines[*image]);
        lines[*image] = table.lines[row];
        texts[*image] = cell(table, 1, row);
    }
    set_labels(table.path, texts, images);
}

}  // namespace

void parse_labels(std::string_view text, const std::string& path, Images& images) {
    const auto table = text_table(text, path);
    const auto columns = table.columns.size();
    const bool by_file = columns == 2 && !images.names.empty();
    if (!by_file && (columns != 1 || images.names.size() > 1))
        refuse(path, "it has {} in each line, where {}", counted(columns, "cell"),
               images.names.empty() ? "images without names of their own need a label and no more"
                                    : "images in files of their own need two, file and label");
    // A first line that is one too many is a header, whatever it looks like.
    const std::size_t first = table.rows() == images.size() + 1 ? 1 : 0;
    check_label_count(path, table.rows() - first, images.size());
    if (by_file) return labels_by_file(table, first, images);
    std::vector<std::string> texts;
    for (std::size_t row = first; row < table.rows(); ++row) texts.push_back(cell(table, 0, row));
    set_labels(path, texts, images);
}

void read_labels(const ByteSource& source, const std::string& path, Images& images) {
    std::array<char, 6> start{};
    if (source.size() >= start.size()) source.read(0, std::as_writable_bytes(std::span(start)));
    if (std::string_view(start.data(), start.size()) == "\x93NUMPY") {
        images.labels = read_npy_labels(*open_stream(source, path), path, images.size());
        images.classes = names_of_numbers(path, images.labels, 0);
    } else if (begins_as_idx(source, path)) {
        images.labels = read_idx_labels(source, path, images.size());
        images.classes = names_of_numbers(path, images.labels, 10);
    } else {
        const auto stream = open_stream(source, path);
        const auto length = stream->count(longest_text);
        if (length > longest_text)
            refuse(path, "it has more than the {} allowed for labels; is it the right file?",
                   shown_size(longest_text));
        std::string text(static_cast<std::size_t>(length), ' ');
        stream->read(std::as_writable_bytes(std::span(text)));
        parse_labels(text, path, images);
    }
}

}  // namespace deepsl::data
