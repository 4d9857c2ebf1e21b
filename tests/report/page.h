// Reads an HTML page as strictly as XML, and states what must hold for every page we write.
#pragma once

#include <cctype>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::report::testing {

/// Every tag with its attributes, in order. Fails the test if tags do not nest, an attribute is
/// not quoted or given twice, or an id occurs twice.
class Page {
public:
    explicit Page(const std::string& html) : html_(html) {
        EXPECT_TRUE(html.starts_with("<!doctype html>\n"));
        std::size_t place = html.find('\n');
        while ((place = html.find('<', place)) != std::string::npos) {
            // The style sheet and the script are not markup.
            if (!open_.empty() && (open_.back() == "style" || open_.back() == "script"))
                place = html.find("</" + open_.back(), place);
            if (place == std::string::npos || !read_tag(place)) break;
            texts_.push_back(html.substr(place, html.find('<', place) - place));
        }
        EXPECT_TRUE(open_.empty()) << "left open: " << (open_.empty() ? "" : open_.back());
    }

    const std::vector<std::string>& attributes() const { return attributes_; }
    /// What stands between the tags; the style sheet and the script too.
    const std::vector<std::string>& texts() const { return texts_; }
    std::size_t count(std::string_view name) const {
        std::size_t found = 0;
        for (const auto& tag : names_) found += tag == name ? 1U : 0U;
        return found;
    }

private:
    bool read_tag(std::size_t& place) {
        std::size_t i = place + 1;
        const bool closes = html_[i] == '/';
        i += closes ? 1 : 0;
        std::string name;
        while (i < html_.size() && (std::isalnum(static_cast<unsigned char>(html_[i])) != 0))
            name += html_[i++];
        const auto bad = [&](std::string_view what) {
            ADD_FAILURE() << what << " at: " << html_.substr(place, 160);
            return false;
        };
        if (name.empty()) return bad("'<' that starts no tag");
        std::set<std::string> given;
        bool is_empty = false;
        for (;; ++i) {
            while (i < html_.size() && (std::isspace(static_cast<unsigned char>(html_[i])) != 0))
                ++i;
            if (i >= html_.size()) return bad("tag without end");
            if (html_[i] == '>') break;
            if (html_[i] == '/') {
                is_empty = true;
                continue;
            }
            const auto equals = html_.find_first_of("=>", i);
            if (equals == std::string::npos || html_[equals] != '=' || html_[equals + 1] != '"')
                return bad("attribute without a quoted value");
            const auto attribute = html_.substr(i, equals - i);
            const auto end = html_.find('"', equals + 2);
            if (end == std::string::npos) return bad("value without end");
            const auto value = html_.substr(equals + 2, end - equals - 2);
            if (value.find('<') != std::string::npos) return bad("'<' in a value");
            if (!given.insert(attribute).second) return bad("attribute given twice");
            if (attribute == "id" && !ids_.insert(value).second) return bad("id given twice");
            attributes_.push_back(attribute + "=" + value);
            i = end;
        }
        place = i + 1;
        if (closes) {
            if (open_.empty() || open_.back() != name) return bad("tag closed out of turn");
            open_.pop_back();
        } else {
            names_.push_back(name);
            if (!is_empty) open_.push_back(name);
        }
        return true;
    }

    std::string html_;
    std::vector<std::string> open_, names_, attributes_, texts_;
    std::set<std::string> ids_;
};

/// What must hold for every page.
inline Page checked(const std::string& html) {
    Page page(html);
    for (const std::string_view tag : {"html", "head", "body", "main", "title", "h1"})
        EXPECT_EQ(page.count(tag) - (tag == "title" ? page.count("title") - 1 : 0), 1U) << tag;
    EXPECT_EQ(html.find("http://"), std::string::npos);
    EXPECT_EQ(html.find("https://"), std::string::npos);
    EXPECT_EQ(html.find("url(//"), std::string::npos);
    EXPECT_EQ(html.find("@import"), std::string::npos);
    const std::regex not_a_number("\\b-?(nan|inf)\\b", std::regex::icase);
    for (const auto& attribute : page.attributes()) {
        const bool is_image = attribute.starts_with("href=data:image/png;base64,") ||
                              attribute.starts_with("src=data:image/png;base64,");
        if (attribute.starts_with("href=") || attribute.starts_with("src=")) {
            EXPECT_TRUE(is_image || attribute.starts_with("href=#")) << attribute.substr(0, 80);
        }
        if (!is_image) {
            // Long paths would exhaust the stack of std::regex.
            for (std::size_t i = 0; i < attribute.size(); i += 2000)
                EXPECT_FALSE(std::regex_search(attribute.substr(i, 2003), not_a_number))
                    << attribute.substr(i, 200);
        }
    }
    for (const auto& text : page.texts())
        EXPECT_FALSE(text.size() < 2000 && std::regex_search(text, not_a_number)) << text;
    EXPECT_LT(html.size(), 1500000U);
    return page;
}

}  // namespace deepsl::report::testing
