#include "plugin/cli/commands.h"

#include "attributes/rule.h"
#include "plugin/cli/console.h"
#include "plugin/cli/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

ExitCode run_explain(const CommandLine& line) {
    std::vector<std::string_view> names;
    std::size_t width = 0;
    for (const Rule& rule : all_rules()) {
        names.push_back(rule.name);
        width = std::max(width, rule.name.size());
    }
    if (line.rule.empty()) {
        for (const Rule& rule : all_rules())
            fmt::print("{:<{}}  {}\n", rule.name, width, rule.summary);
        return ExitCode::clean;
    }
    for (const Rule& rule : all_rules())
        if (rule.name == line.rule) {
            fmt::print("{}{}", rule.page, rule.page.ends_with('\n') ? "" : "\n");
            return ExitCode::clean;
        }
    print_error(
        {fmt::format("there is no rule '{}'{}", line.rule, did_you_mean(line.rule, names))});
    return ExitCode::usage;
}

} // namespace slimgrad
