#include "plugin/verify/module_variant.h"

namespace slimgrad {

std::vector<std::string> macro_definitions(const std::vector<std::string>& slang_arguments) {
    std::vector<std::string> definitions;
    for (std::size_t i = 0; i < slang_arguments.size(); ++i) {
        if (slang_arguments[i] == "-D" && i + 1 < slang_arguments.size())
            definitions.push_back(slang_arguments[++i]);
        else if (slang_arguments[i].starts_with("-D"))
            definitions.push_back(slang_arguments[i].substr(2));
    }
    return definitions;
}

} // namespace slimgrad
