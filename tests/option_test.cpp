// Options as text: there and back for every option of a model, and sentences for bad values.
#include "deepsl/option.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/options.h"

namespace deepsl {
namespace {

using model::ModelOptions;
using model::Preset;
using model::visit_model;

enum class Fruit { apple, pear, quince };
constexpr std::array<std::string_view, 3> names(Fruit) { return {"apple", "pear", "quince"}; }

template <class T>
std::string error_of(const Option& option, const std::string& text) {
    T value{};
    try {
        parse_option(option, text, value);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        EXPECT_EQ(value, T{}) << "a bad value must leave the old one";
        return error.what();
    }
    return "";
}

template <class T>
void expect_refused(const Option& option, const std::string& text) {
    const auto message = error_of<T>(option, text);
    ASSERT_NE(message, "") << option.name << " took '" << text << "'";
    EXPECT_NE(message.find(std::string(option.name)), std::string::npos) << message;
    EXPECT_NE(message.find("'" + text + "'"), std::string::npos) << message;
    EXPECT_NE(message.find(allowed(option)), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

template <class T>
void expect_round_trip(const Option& option, const T& value) {
    T back{};
    parse_option(option, option_text(value), back);
    EXPECT_EQ(back, value) << option.name << " as " << option_text(value);
}

/// Values to try beside the one that is there.
std::vector<std::int64_t> values(const Option& o, const std::int64_t& now) {
    return {now, static_cast<std::int64_t>(o.least), static_cast<std::int64_t>(o.most)};
}
std::vector<double> values(const Option& o, const double& now) {
    return {now, o.least, o.most, 0.1 * o.most, std::nextafter(o.least, o.most), o.most / 3.0};
}
std::vector<bool> values(const Option&, const bool&) { return {true, false}; }
std::vector<std::vector<std::int64_t>> values(const Option&, const std::vector<std::int64_t>& now) {
    return {now, {1}, {65536}, {128, 64, 32}, std::vector<std::int64_t>(20, 7)};
}
template <Choice E>
std::vector<E> values(const Option& o, const E&) {
    std::vector<E> all;
    for (std::size_t i = 0; i < o.choices.size(); ++i) all.push_back(static_cast<E>(i));
    return all;
}

TEST(Option, EveryModelOptionGoesToTextAndBack) {
    int count = 0;
    for (const auto preset : {Preset::standard, Preset::paper}) {
        const auto options = model::model_preset(preset);
        visit_model(options, [&](const Option& option, const auto& value) {
            for (const auto& v : values(option, value)) {
                using Value = std::decay_t<decltype(value)>;
                expect_round_trip<Value>(option, v);
            }
            EXPECT_FALSE(option.about.empty()) << option.name;
            EXPECT_FALSE(allowed(option).empty()) << option.name;
            ++count;
        });
    }
    EXPECT_EQ(count, 2 * 35);
}

TEST(Option, NamesAreOnceOnly) {
    std::vector<std::string> seen;
    const ModelOptions options;
    visit_model(options, [&](const Option& option, const auto&) {
        for (const auto& other : seen) EXPECT_NE(other, option.name);
        seen.emplace_back(option.name);
        for (const char c : option.name) EXPECT_TRUE(c == '-' || (c >= 'a' && c <= 'z'));
    });
}

TEST(Option, EachFieldIsVisitedOnce) {
    // Different values everywhere; what visit misses would stay as it was.
    ModelOptions changed;
    visit_model(changed, [](const Option& option, auto& value) {
        const auto all = values(option, value);
        for (const auto& v : all)
            if (v != value) {
                value = v;
                break;
            }
    });
    const ModelOptions fresh;
    EXPECT_NE(changed.domain, fresh.domain);
    EXPECT_NE(changed.fields == fresh.fields, changed.eigenfunctions != fresh.eigenfunctions);
    EXPECT_NE(changed.coefficients, fresh.coefficients);
    EXPECT_NE(changed.hidden, fresh.hidden);
    EXPECT_NE(changed.field_hidden, fresh.field_hidden);
    EXPECT_NE(changed.precision, fresh.precision);
    EXPECT_NE(changed.start_network, fresh.start_network);
    EXPECT_NE(changed.tolerance, fresh.tolerance);
    EXPECT_NE(changed.scheme, fresh.scheme);
}

TEST(Option, AllPresetsAreAllowedValues) {
    for (const auto preset : {Preset::standard, Preset::paper}) {
        auto options = model::model_preset(preset);
        visit_model(options, [](const Option& option, auto& value) {
            EXPECT_NO_THROW(parse_option(option, option_text(value), value)) << option.name;
        });
    }
    const auto option = choice<Preset>("preset", "");
    EXPECT_EQ(allowed(option), "one of default, paper");
    EXPECT_NE(error_of<Preset>(option, "paperr").find("did you mean 'paper'?"), std::string::npos);
}

TEST(Option, BadWholeNumbersAreRefused) {
    const auto option = whole_number("fields", 1, 64, "");
    for (const auto* text : {"", "0", "65", "-1", "1.5", "1e1", "x", "1x", " 1", "1 ", "+1", "0x1",
                             "99999999999999999999", "1,000", "nan"})
        expect_refused<std::int64_t>(option, text);
    EXPECT_EQ(allowed(option), "a whole number from 1 to 64");
}

TEST(Option, BadNumbersAreRefused) {
    const auto option = number("tolerance", 1e-13, 0.1, "");
    for (const auto* text : {"", "0", "0.11", "-0.01", "nan", "inf", "-inf", "1e", "1e-400",
                             "1e400", "0,01", "0.01x", " 0.01", "--1"})
        expect_refused<double>(option, text);
    double value = 0.0;
    parse_option(option, "1e-13", value);
    EXPECT_EQ(value, 1e-13);
}

TEST(Option, BadFlagsAreRefused) {
    const auto option = flag("start-network", "");
    for (const auto* text : {"", "1", "0", "yes", "True", "true "})
        expect_refused<bool>(option, text);
}

TEST(Option, ChoicesAreValuesOfAnEnumeration) {
    const auto option = choice<Fruit>("fruit", "");
    Fruit value = Fruit::apple;
    parse_option(option, "quince", value);
    EXPECT_EQ(value, Fruit::quince);
    EXPECT_EQ(option_text(Fruit::pear), "pear");
    EXPECT_EQ(name(Fruit::pear), "pear");
    EXPECT_EQ(parse_choice(option, "pear"), 1U);
    std::string text;
    parse_option(option, "pear", text);
    EXPECT_EQ(text, "pear");
}

TEST(Option, ChoicesAreFoundByTheirNames) {
    EXPECT_EQ(named<Fruit>("apple"), Fruit::apple);
    EXPECT_EQ(named<Fruit>("quince"), Fruit::quince);
    for (const auto* text : {"", "Pear", "pea", "pears"})
        EXPECT_EQ(named<Fruit>(text), std::nullopt) << text;
}

TEST(Option, BadChoicesAreRefused) {
    const auto option = choice<Fruit>("fruit", "");
    for (const auto* text : {"", "Pear", "pears", "pea", "pear,apple", "xyz"}) {
        expect_refused<Fruit>(option, text);
        expect_refused<std::string>(option, text);
    }
    EXPECT_EQ(allowed(option), "one of apple, pear, quince");
    EXPECT_NE(error_of<Fruit>(option, "quinze").find("; did you mean 'quince'?"),
              std::string::npos);
    EXPECT_EQ(error_of<Fruit>(option, "xyz").find("did you mean"), std::string::npos);
}

TEST(Option, BadSizesAreRefused) {
    const auto option = sizes("hidden", "");
    for (const auto* text :
         {"", "-", "x", "0", "-5", "5-", "5--6", "5-0", "5-65537", "5-x-6", "5,6", "1.5", "5 -6",
          "99999999999999999999", "1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1"})
        expect_refused<std::vector<std::int64_t>>(option, text);
    // What may be given is said: sizes have a range.
    EXPECT_NE(allowed(option).find("65536"), std::string::npos) << allowed(option);
}

// A network without hidden layers is a network, and ModelOptions can hold it.
TEST(Option, NoLayersAtAllGoToTextAndBack) {
    const auto option = sizes("hidden", "");
    std::vector<std::int64_t> back{7};
    EXPECT_NO_THROW(parse_option(option, option_text(std::vector<std::int64_t>{}), back));
    EXPECT_TRUE(back.empty());
}

TEST(Option, TextOfNumbersIsExact) {
    const auto option = number("n", -1e300, 1e300, "");
    for (const double v : {0.1, 1.0 / 3.0, 1e-300, 5e-324, -0.0, 123456789.123456789, 1e22, -2.5}) {
        double back = 1.0;
        parse_option(option, option_text(v), back);
        EXPECT_EQ(std::signbit(back), std::signbit(v));
        EXPECT_EQ(back, v);
    }
}

TEST(Option, AnyTextIsATextAndStaysAsItIs) {
    const auto option = text("target", "the column to learn");
    for (const auto* given : {"", "price", "price, in \"EUR\"", " x ", "none", "é"})
        expect_round_trip<std::string>(option, given);
}

TEST(Option, ListsAreCutAtCommas) {
    const auto option = list("drop", "columns to leave out");
    const auto parsed = [&](const std::string& given) {
        std::vector<std::string> value;
        parse_option(option, given, value);
        return value;
    };
    using Texts = std::vector<std::string>;
    EXPECT_EQ(parsed("a"), Texts{"a"});
    EXPECT_EQ(parsed("a,b c,d"), (Texts{"a", "b c", "d"}));
    EXPECT_EQ(parsed(" a , b "), (Texts{"a", "b"}));
    EXPECT_EQ(parsed(""), Texts{});
    // Names that hold commas: in parentheses as they are, else in quotes.
    EXPECT_EQ(parsed("f(a,b),c"), (Texts{"f(a,b)", "c"}));
    EXPECT_EQ(parsed(R"("a,b",c)"), (Texts{"a,b", "c"}));
    EXPECT_EQ(parsed(R"("say ""a""",5" disk)"), (Texts{R"(say "a")", R"(5" disk)"}));
    for (const auto* bad : {",", "a,", ",a", "a,,b", "a, ,b", "\"a", "\"a\"b", "\"a\" b,c"})
        expect_refused<Texts>(option, bad);
}

TEST(Option, EveryListGoesToTextAndBack) {
    const auto option = list("drop", "");
    for (const std::vector<std::string>& value :
         std::vector<std::vector<std::string>>{{},
                                               {"a"},
                                               {"a", "b"},
                                               {""},
                                               {"", ""},
                                               {"a,b", "c"},
                                               {"f(a,b)", "(", ")", ")("},
                                               {"\"", "\"\"", "a\"b", "\"a\",b"},
                                               {" a", "b ", " "},
                                               {"none"}})
        expect_round_trip<std::vector<std::string>>(option, value);
}

}  // namespace
}  // namespace deepsl
