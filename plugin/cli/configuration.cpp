#include "plugin/cli/configuration.h"

#include "plugin/cli/nearest_name.h"
#include "plugin/cli/slang_options.h"
#include "rewriter/atomic_write.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <toml++/toml.h>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// Reads one document; the first thing that is wrong ends it.
class Reader {
  public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    Result<Configuration> read(const toml::table& document) {
        Configuration configuration;
        configuration.path = path_;
        for (const auto& [key, node] : document) {
            if (key == "arguments")
                configuration.arguments = arguments(node);
            else if (key == "arch")
                configuration.arch = scalar<std::string>(key, node, "a string such as \"sm_89\"");
            else if (key == "fast_math")
                configuration.fast_math = scalar<bool>(key, node, "true or false");
            else if (key == "noalias")
                configuration.promises.noalias = scalar<bool>(key, node, "true or false");
            else if (key == "inputs")
                configuration.promises.ranges = inputs(node);
            else if (key == "groups")
                configuration.groups = groups(key, node);
            else if (key == "gradient")
                configuration.gradients = gradients(node);
            else
                reject(key.source(),
                       fmt::format(
                           "unknown key '{}'{}", key.str(),
                           did_you_mean(key.str(), {"arguments", "arch", "fast_math", "noalias",
                                                    "gradient", "groups", "inputs"})));
            if (error_)
                return tl::unexpected(*error_);
        }
        return configuration;
    }

    Place place(const toml::source_region& region) const {
        return {path_, region.begin.line, region.begin.column};
    }

  private:
    void reject(const toml::source_region& region, std::string message) {
        if (!error_)
            error_ = Error{std::move(message), place(region)};
    }

    template <class T> T scalar(const toml::key& key, const toml::node& node, const char* what) {
        if (const auto value = node.value_exact<T>())
            return *value;
        reject(node.source(), fmt::format("'{}' has to be {}", key.str(), what));
        return {};
    }

    std::vector<std::string> arguments(const toml::node& node) {
        std::vector<std::string> values;
        const toml::array* array = node.as_array();
        if (!array)
            reject(node.source(), "'arguments' has to be an array of strings");
        else
            for (const toml::node& element : *array) {
                if (const auto value = element.value_exact<std::string>())
                    values.push_back(*value);
                else
                    reject(element.source(), "'arguments' has to be an array of strings");
            }
        if (error_)
            return {};
        const Result<SplitArguments> split = split_slang_options(values);
        if (!split)
            reject(node.source(), "in 'arguments': " + split.error().message);
        else if (!split->own.empty())
            reject(node.source(),
                   fmt::format("in 'arguments': '{}' is no option of slangc", split->own.front()));
        return split ? from_own_folder(split->slang) : std::vector<std::string>{};
    }

    /// `-I` folders are meant from where slimgrad.toml stands, wherever the program runs.
    std::vector<std::string> from_own_folder(std::vector<std::string> values) const {
        const fs::path folder = fs::path(path_).parent_path();
        const auto absolute = [&](std::string_view written) {
            return (folder / written).lexically_normal().string();
        };
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] == "-I" && i + 1 < values.size()) {
                values[i + 1] = absolute(values[i + 1]);
                ++i;
            } else if (values[i].starts_with("-I")) {
                values[i] = "-I" + absolute(std::string_view(values[i]).substr(2));
            }
        }
        return values;
    }

    std::uint32_t groups(const toml::key& key, const toml::node& node) {
        constexpr std::int64_t most = 64;
        const auto value = node.value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > most)
            reject(node.source(),
                   fmt::format("'{}' has to be a whole number from 1 to {}", key.str(), most));
        return static_cast<std::uint32_t>(value.value_or(1));
    }

    std::map<std::string, std::string> gradients(const toml::node& node) {
        std::map<std::string, std::string> pairs;
        const toml::table* table = node.as_table();
        if (!table) {
            reject(node.source(), "'gradient' has to be a table: gradient.BUFFER = \"BUFFER\"");
            return pairs;
        }
        for (const auto& [buffer, value] : *table)
            pairs.emplace(std::string(buffer.str()),
                          scalar<std::string>(buffer, value, "the name of a buffer"));
        return pairs;
    }

    std::map<std::string, ValueRange> inputs(const toml::node& node) {
        std::map<std::string, ValueRange> ranges;
        const toml::table* table = node.as_table();
        if (!table) {
            reject(node.source(), "'inputs' has to be a table: [inputs]");
            return ranges;
        }
        for (const auto& [name, value] : *table)
            ranges.emplace(std::string(name.str()), range(name, value));
        return ranges;
    }

    ValueRange range(const toml::key& name, const toml::node& node) {
        const auto number = [](const toml::node& n) -> std::optional<double> {
            return n.is_number() ? n.value<double>() : std::nullopt;
        };
        const toml::array* array = node.as_array();
        std::optional<double> minimum, maximum;
        if (array && array->size() == 2) {
            minimum = number(*array->get(0));
            maximum = number(*array->get(1));
        } else if (!array) {
            minimum = maximum = number(node);
        }
        if (!minimum || !maximum || !std::isfinite(*minimum) || !std::isfinite(*maximum)) {
            reject(node.source(),
                   fmt::format("input '{}' has to be a finite number, or two of them: [from, to]",
                               name.str()));
            return {};
        }
        if (*minimum > *maximum)
            reject(node.source(),
                   fmt::format("input '{}': {} is larger than {}", name.str(), *minimum, *maximum));
        return {*minimum, *maximum};
    }

    std::string path_;
    std::optional<Error> error_;
};

} // namespace

Result<Configuration> parse_configuration(std::string_view text, const std::string& path) {
    Reader reader(path);
    try {
        return reader.read(toml::parse(text, path));
    } catch (const toml::parse_error& error) {
        return fail(std::string(error.description()), reader.place(error.source()));
    }
}

Result<Configuration> read_configuration(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text)
        return tl::unexpected(text.error());
    return parse_configuration(*text, path);
}

} // namespace slimgrad
