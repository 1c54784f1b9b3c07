#include "plugin/slang/syntax_dump.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace slimgrad::slang_plugin {

namespace fs = std::filesystem;

SyntaxDump::SyntaxDump() {
    std::error_code error;
    before_ = fs::current_path(error).string();
    std::string name = (fs::temp_directory_path(error) / "slimgrad-slang-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr)
        return;
    folder_ = name;
    fs::current_path(folder_, error);
}

SyntaxDump::~SyntaxDump() {
    if (folder_.empty())
        return;
    std::error_code ignored;
    fs::current_path(before_, ignored);
    fs::remove_all(folder_, ignored);
}

std::string SyntaxDump::text(const std::string& file) const {
    std::error_code error;
    if (folder_.empty())
        return "";
    fs::path dump;
    bool is_only = true;
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
         entry.increment(error)) {
        is_only = is_only && dump.empty();
        if (dump.empty() || entry->path().stem() == fs::path(file).stem())
            dump = entry->path();
    }
    if (dump.empty() || (!is_only && dump.stem() != fs::path(file).stem()))
        return "";
    std::ifstream text(dump, std::ios::binary);
    return {std::istreambuf_iterator<char>(text), {}};
}

} // namespace slimgrad::slang_plugin
