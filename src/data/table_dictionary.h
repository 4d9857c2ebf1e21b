// Codes for the distinct texts of a column: each text is kept once, in the column itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace deepsl::data {

/// A hash table of places in `texts`, by open addressing, at most half full.
class Dictionary {
public:
    explicit Dictionary(std::vector<std::string>& texts) : texts_(&texts) {}

    std::uint32_t code(std::string_view text) {
        if (2 * (texts_->size() + 1) > slots_.size()) grow();
        auto& slot = slots_[find(text)];
        if (slot == empty) {
            slot = static_cast<std::uint32_t>(texts_->size());
            texts_->emplace_back(text);
        }
        return slot;
    }

private:
    static constexpr std::uint32_t empty = 0xffffffff;

    /// The slot of `text`, or the empty one where it belongs.
    std::size_t find(std::string_view text) const {
        const auto mask = slots_.size() - 1;
        auto at = std::hash<std::string_view>{}(text)&mask;
        while (slots_[at] != empty && (*texts_)[slots_[at]] != text) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 8 : 2 * slots_.size(), empty);
        for (std::size_t i = 0; i < texts_->size(); ++i)
            slots_[find((*texts_)[i])] = static_cast<std::uint32_t>(i);
    }

    std::vector<std::string>* texts_;
    std::vector<std::uint32_t> slots_;  // their number is a power of two
};

}  // namespace deepsl::data
