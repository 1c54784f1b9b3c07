#include "rewriter/file_visibility.h"

#include "rewriter/line_splices.h"
#include "rewriter/syntax_node.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace slimgrad {

namespace {

// Tables of files by files.
constexpr std::size_t most_files = 2000;

struct Import {
    std::uint32_t file = 0;
    bool is_exported = false;
};

/// What one file's text brings in.
struct Links {
    std::vector<std::uint32_t> included;
    std::vector<Import> imported;
    bool declares_module = false;
};

std::string normal(const std::filesystem::path& path) {
    return path.lexically_normal().generic_string();
}

/// Reads the links of all files; nothing where a name fits several files.
class LinkReader {
  public:
    LinkReader(const ModuleModel& model, const std::vector<std::string>& texts)
        : model_(model), texts_(texts) {}

    std::optional<std::vector<Links>> read() {
        std::vector<Links> links(model_.files.size());
        for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
            read_children(model_.trees[file].root(), file, links[file]);
            read_includes(file, links[file]);
        }
        if (is_ambiguous_)
            return std::nullopt;
        return links;
    }

  private:
    void read_children(SyntaxNode parent, std::uint32_t file, Links& links) {
        for (SyntaxNode node : parent.children()) {
            if (node.is("import_declaration"))
                read_import(node, file, links);
            else if (node.is("module_declaration"))
                links.declares_module = true;
        }
    }

    std::string source(std::uint32_t file, SyntaxNode node) const {
        const ByteRange range = node.range();
        return without_splices(texts_[file].substr(range.begin, range.end - range.begin));
    }

    /// Trees hold no directives. Those of branches that are not taken are read, too: that shows
    /// more, never less.
    void read_includes(std::uint32_t file, Links& links) {
        constexpr std::string_view word = "include", space = " \t";
        const std::string_view text = model_.files[file].text();
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            const std::size_t before = at ? text.find_last_not_of(space, at - 1) : text.npos;
            if (before == text.npos || text[before] != '#')
                continue;
            const std::size_t begin = text.find_first_not_of(space, at + word.size());
            if (begin == text.npos || (text[begin] != '"' && text[begin] != '<'))
                continue; // a macro
            const std::size_t end = text.find_first_of("\">\n", begin + 1);
            if (end == text.npos)
                continue;
            const std::string path(text.substr(begin + 1, end - begin - 1));
            if (const auto found = find({path}, file))
                links.included.push_back(*found);
        }
    }

    /// `import a.b_c;` is "a/b_c.slang" or "a/b-c.slang", or one of these with ".md" behind.
    void read_import(SyntaxNode node, std::uint32_t file, Links& links) {
        const SyntaxNode name = node.field("module");
        std::string path = source(file, name);
        std::vector<std::string> paths;
        if (name.is("string_literal")) {
            std::erase(path, '"');
            paths = {path, path + ".slang"};
        } else {
            for (std::size_t at; (at = path.find("::")) != path.npos;)
                path.replace(at, 2, ".");
            std::replace(path.begin(), path.end(), '.', '/');
            paths = {path + ".slang"};
        }
        for (std::size_t i = 0, count = paths.size(); i < count; ++i) {
            paths.push_back(paths[i]);
            std::replace(paths.back().begin(), paths.back().end(), '_', '-');
        }
        for (std::size_t i = 0, count = paths.size(); i < count; ++i)
            paths.push_back(paths[i] + ".md");
        const auto found = find(paths, file);
        if (!found)
            return;
        if (node.token("__include"))
            links.included.push_back(*found);
        else
            links.imported.push_back({*found, is_exported(node, file)});
    }

    bool is_exported(SyntaxNode node, std::uint32_t file) const {
        const auto modifiers = node.fields("modifier");
        return std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
            return source(file, modifier) == "__exported";
        });
    }

    /// Beside the file first, then wherever the search paths may lead.
    std::optional<std::uint32_t> find(const std::vector<std::string>& paths, std::uint32_t from) {
        const std::filesystem::path folder =
            std::filesystem::path(model_.files[from].path()).parent_path();
        for (const std::string& path : paths) {
            const std::string beside = normal(folder / path);
            for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
                if (normal(model_.files[file].path()) == beside)
                    return file;
            }
        }
        std::optional<std::uint32_t> found;
        for (const std::string& path : paths) {
            const std::string end = "/" + normal(path);
            for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
                if (!normal(model_.files[file].path()).ends_with(end) || found == file)
                    continue;
                is_ambiguous_ |= found.has_value();
                found = file;
            }
        }
        return found;
    }

    const ModuleModel& model_;
    const std::vector<std::string>& texts_;
    bool is_ambiguous_ = false;
};

} // namespace

FileVisibility::FileVisibility(const ModuleModel& model, const std::vector<std::string>& texts) {
    const std::size_t count = model.files.size();
    const auto links = count > 1 && count <= most_files ? LinkReader(model, texts).read()
                                                        : std::optional<std::vector<Links>>();
    if (!links) {
        everything_ = true;
        return;
    }
    // The files of the module that starts with each file that is imported, or is the model's own.
    std::vector<Files> module_of(count);
    std::vector<std::uint32_t> roots{0};
    for (std::size_t i = 0; i < roots.size(); ++i) {
        Files& files = module_of[roots[i]];
        if (!files.empty())
            continue;
        files.assign(count, false);
        std::vector<std::uint32_t> open{roots[i]};
        while (!open.empty()) {
            const std::uint32_t file = open.back();
            open.pop_back();
            if (files[file])
                continue;
            files[file] = true;
            const Links& here = (*links)[file];
            open.insert(open.end(), here.included.begin(), here.included.end());
            for (const Import& import : here.imported)
                roots.push_back(import.file);
        }
    }
    const auto add = [](Files& files, const Files& more) {
        for (std::size_t i = 0; i < files.size(); ++i)
            files[i] = files[i] || more[i];
    };
    // What an import of the module brings.
    const std::function<void(std::uint32_t, Files&, Files&)> add_exported =
        [&](std::uint32_t root, Files& visited, Files& files) {
            if (visited[root])
                return;
            visited[root] = true;
            add(files, module_of[root]);
            for (std::uint32_t file = 0; file < count; ++file) {
                if (!module_of[root][file])
                    continue;
                for (const Import& import : (*links)[file].imported) {
                    if (import.is_exported)
                        add_exported(import.file, visited, files);
                }
            }
        };
    sees_.assign(count, Files(count, false));
    same_module_ = sees_;
    hides_.assign(count, false);
    for (std::uint32_t root = 0; root < count; ++root) {
        if (module_of[root].empty())
            continue;
        Files seen = module_of[root], visited(count, false);
        bool hides = false;
        for (std::uint32_t file = 0; file < count; ++file) {
            if (!module_of[root][file])
                continue;
            hides |= (*links)[file].declares_module;
            for (const Import& import : (*links)[file].imported)
                add_exported(import.file, visited, seen);
        }
        for (std::uint32_t file = 0; file < count; ++file) {
            if (!module_of[root][file])
                continue;
            add(sees_[file], seen);
            add(same_module_[file], module_of[root]);
            hides_[file] = hides_[file] || hides;
        }
    }
    // A file that nothing leads to: by a way that was not read here.
    everything_ = std::any_of(same_module_.begin(), same_module_.end(), [](const Files& files) {
        return std::find(files.begin(), files.end(), true) == files.end();
    });
}

} // namespace slimgrad
