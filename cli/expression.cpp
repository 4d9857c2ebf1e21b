#include "expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <muParser.h>

#include "error.h"
#include "text.h"

namespace deepsl::cli {
namespace {

/// A long formula is shown only around the culprit.
std::string point_at(const std::string& text, std::size_t position, std::size_t length) {
    constexpr std::size_t margin = 45;
    auto first = position > margin ? position - margin : 0;
    while (first < position && (static_cast<unsigned char>(text[first]) & 0xc0) == 0x80) ++first;
    std::string line = first > 0 ? "..." : "";
    std::string marks(line.size(), ' ');
    const auto last = std::min(text.size(), position + margin);
    auto i = first;
    while (i < last) {
        const std::string_view rest = std::string_view(text).substr(i);
        const auto bytes = std::max<std::size_t>(character_length(rest), 1);
        const bool is_blank = static_cast<unsigned char>(rest[0]) < 0x20;
        line += is_blank ? " " : printable(rest.substr(0, bytes));
        const bool marked = i + bytes > position && i < position + length;
        marks += !marked ? ' ' : i <= position ? '^' : '~';
        i += bytes;
    }
    if (position >= text.size()) marks += '^';
    marks.erase(marks.find_last_not_of(' ') + 1);
    if (i < text.size()) line += "...";
    return "    " + line + "\n    " + marks;
}

class Formula {
public:
    Formula(std::string_view flag, std::string text, bool has_t)
        : flag_(flag), text_(std::move(text)) {
        define_names(has_t);
        reject_assignment();
        try {
            parser_.SetExpr(text_);
            parser_.Eval();
        } catch (const mu::Parser::exception_type& error) {
            throw explained(error);
        }
        if (parser_.GetNumResults() != 1) {
            const auto comma = text_.find(',');
            throw at("one formula is wanted, not a list", comma == std::string::npos ? 0 : comma,
                     1);
        }
    }

    Formula(const Formula&) = delete;  // the parser holds the address of t_
    Formula& operator=(const Formula&) = delete;

    double operator()(double t) {
        t_ = t;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        try {
            const double value = parser_.Eval();
            return std::isnan(value) ? nan : value;  // without the sign that 0/0 leaves
        } catch (const mu::Parser::exception_type&) {
            return nan;
        }
    }

private:
    void define_names(bool has_t) {
        if (has_t) parser_.DefineVar("t", &t_);
        parser_.DefineConst("pi", std::numbers::pi);
        parser_.DefineConst("e", std::numbers::e);
        parser_.DefineFun(
            "fabs", +[](double x) { return std::fabs(x); });
        parser_.DefineFun(
            "pow", +[](double x, double y) { return std::pow(x, y); });
        parser_.DefineFun(
            "floor", +[](double x) { return std::floor(x); });
        parser_.DefineFun(
            "ceil", +[](double x) { return std::ceil(x); });
        parser_.DefineFun(
            "fmod", +[](double x, double y) { return std::fmod(x, y); });
        parser_.DefineFun(
            "cbrt", +[](double x) { return std::cbrt(x); });
        parser_.DefineFun(
            "erf", +[](double x) { return std::erf(x); });
    }

    /// muParser would take "t = 1" for an assignment to t, and go on with the wrong t.
    void reject_assignment() const {
        for (std::size_t i = 0; i < text_.size(); ++i) {
            if (text_[i] != '=') continue;
            const bool compares =
                i > 0 && std::string_view("<>!=").find(text_[i - 1]) != std::string_view::npos;
            if (compares) continue;
            if (i + 1 < text_.size() && text_[i + 1] == '=') continue;
            throw at("a single '=' compares nothing; write '=='", i, 1);
        }
    }

    std::vector<std::string> known_names() const {
        std::vector<std::string> names;
        for (const auto& item : parser_.GetVar()) names.push_back(item.first);
        for (const auto& item : parser_.GetConst()) names.push_back(item.first);
        for (const auto& item : parser_.GetFunDef()) names.push_back(item.first);
        // muParser's own spellings of pi and e are no news to the user.
        std::erase_if(names, [](const std::string& name) { return name[0] == '_'; });
        return names;
    }

    /// `position` counts bytes from the start of the formula; `length` is that of the culprit.
    Error at(std::string_view sentence, std::size_t position, std::size_t length) const {
        return argument_error(
            fmt::format("{}: {}\n{}", flag_, sentence, point_at(text_, position, length)));
    }

    Error unknown(std::size_t position) const {
        constexpr auto is_letter = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        auto end = position;
        while (end < text_.size() && is_letter(text_[end])) ++end;
        const auto name = text_.substr(position, end - position);
        const auto place = position + 1;
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
            const auto what = name.empty() ? text_.substr(position, 8) : name;
            return at(fmt::format("cannot read {} at character {}", shown(what), place), position,
                      std::max<std::size_t>(1, name.size()));
        }
        const auto names = known_names();
        std::string hint = "known are numbers, t, pi, e and functions such as exp, sin, sqrt";
        if (parser_.GetVar().empty()) hint = "a number is wanted here, such as 0.5 or -pi/2";
        if (parser_.GetFunDef().contains(name)) {
            return at(fmt::format("the function '{}' at character {} needs its argument in "
                                  "parentheses",
                                  name, place),
                      position, name.size());
        }
        if (name == "x" && !parser_.GetVar().empty()) hint = "the variable is called t";
        hint = did_you_mean(name, names, hint);
        return at(fmt::format("unknown name {} at character {}; {}", shown(name), place, hint),
                  position, name.size());
    }

    Error explained(const mu::Parser::exception_type& error) const {
        const auto size = text_.size();
        const auto raw = static_cast<std::ptrdiff_t>(error.GetPos());
        const auto position = raw < 0 ? size : std::min(size, static_cast<std::size_t>(raw));
        const auto token = std::string(trimmed(error.GetToken()));
        const auto place = position + 1;
        switch (error.GetCode()) {
            case mu::ecUNASSIGNABLE_TOKEN: return unknown(position);
            case mu::ecEMPTY_EXPRESSION:
                return at(parser_.GetVar().empty() ? "a number is missing"
                                                   : "the formula is empty; write one in t",
                          0, 1);
            case mu::ecUNEXPECTED_EOF:
                return at("the formula ends too early; something is missing at its end", size, 1);
            case mu::ecMISSING_PARENS: return at("a closing parenthesis ')' is missing", size, 1);
            case mu::ecTOO_FEW_PARAMS:
            case mu::ecTOO_MANY_PARAMS: {
                const auto start = text_.rfind(token, position);
                const bool few = error.GetCode() == mu::ecTOO_FEW_PARAMS;
                return at(fmt::format("the function {} has too {} arguments", shown(token),
                                      few ? "few" : "many"),
                          start == std::string::npos ? position : start, token.size());
            }
            case mu::ecMISSING_ELSE_CLAUSE:
                return at("'?' needs its ':' part, as in t < 0.5 ? 1 : 2", size, 1);
            case mu::ecUNEXPECTED_VAL:
            case mu::ecUNEXPECTED_VAR:
            case mu::ecUNEXPECTED_FUN:
                return at(fmt::format("unexpected {} at character {}; is an operator such as * "
                                      "missing before it?",
                                      shown(token), place),
                          position, std::max<std::size_t>(1, token.size()));
            default:
                if (token.empty()) {
                    return at(fmt::format("cannot read the formula at character {}", place),
                              position, 1);
                }
                return at(fmt::format("unexpected {} at character {}", shown(token), place),
                          position, token.size());
        }
    }

    std::string flag_;
    std::string text_;
    double t_ = 0.5;
    mu::Parser parser_;
};

}  // namespace

std::function<double(double)> parse_expression(std::string_view flag, const std::string& text) {
    return
        [formula = std::make_shared<Formula>(flag, text, true)](double t) { return (*formula)(t); };
}

double parse_constant(std::string_view flag, const std::string& text) {
    return Formula(flag, text, false)(0.0);
}

}  // namespace deepsl::cli
