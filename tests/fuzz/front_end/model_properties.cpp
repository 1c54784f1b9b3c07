#include "rewriter/syntax_node.h"
#include "tests/fuzz/front_end/property.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad::front_end {

namespace {

/// The checks of one model's places. A place is named by what it is of: "a call".
class Places {
  public:
    explicit Places(const ModuleModel& model) : model_(model) {}

    void check(std::uint32_t file, ByteRange range, std::string_view what) const {
        require(file < model_.files.size(), [&] { return fmt::format("{} has no file", what); });
        const std::string& text = model_.files[file].text();
        const auto shown = [&](std::string_view fault) {
            return fmt::format("{}: {} at [{}, {}) {}", model_.files[file].path(), what,
                               range.begin, range.end, fault);
        };
        require(range.begin <= range.end && range.end <= text.size(),
                [&] { return shown("is not in the file"); });
        for (std::uint32_t end : {range.begin, range.end})
            require(!splits_character(text, end), [&] { return shown("splits a character"); });
    }
    void check(Site site, std::string_view what) const { check(site.file, site.range, what); }

    void check_inside(Site inner, Site outer, std::string_view what) const {
        check(inner, what);
        require(inner.file == outer.file && outer.range.contains(inner.range), [&] {
            return fmt::format("{}: {} at [{}, {}) is outside [{}, {})",
                               model_.files[inner.file].path(), what, inner.range.begin,
                               inner.range.end, outer.range.begin, outer.range.end);
        });
    }

    void check_index(Index index, std::size_t size, std::string_view what) const {
        require(index == none || index < size,
                [&] { return fmt::format("{}: there is no {}", what, index); });
    }

    void check_attributes(const std::vector<Attribute>& attributes) const {
        for (const Attribute& attribute : attributes) {
            check(attribute.site, "an attribute");
            check(attribute.site.file, attribute.group, "the brackets of an attribute");
            require(attribute.group.contains(attribute.site.range),
                    [] { return "an attribute is outside its brackets"; });
        }
    }

  private:
    const ModuleModel& model_;
};

void check_functions(const ModuleModel& model, const Places& places) {
    for (const Function& function : model.functions) {
        places.check(function.site, "a function");
        places.check_inside(function.name_site, function.site, "a function's name");
        places.check_inside({function.site.file,
                             {function.declaration_start, function.declaration_start}},
                            function.site, "a function's head");
        if (function.body)
            places.check_inside({function.site.file, *function.body}, function.site,
                                "a function's body");
        places.check_attributes(function.attributes);
        for (const Parameter& parameter : function.parameters)
            places.check(parameter.site, "a parameter");
        for (const GenericParameter& parameter : function.generics)
            places.check(parameter.site, "a generic parameter");
        if (function.site.range.empty())
            continue;
        const Index found = model.function_at(function.site.file, function.site.range.begin);
        require(found != none && model.functions[found].site.range.contains(
                                     function.site.range.begin),
                [&] { return fmt::format("function_at does not find '{}'", function.name); });
        const auto named = model.find_functions(function.name);
        require(std::find(named.begin(), named.end(), Index(&function - &model.functions[0])) !=
                    named.end(),
                [&] { return fmt::format("find_functions does not find '{}'", function.name); });
    }
}

void check_loops(const ModuleModel& model, const Places& places) {
    for (Index i = 0; i < model.loops.size(); ++i) {
        const Loop& loop = model.loops[i];
        places.check(loop.site, "a loop");
        places.check_inside({loop.site.file, loop.body}, loop.site, "a loop's body");
        places.check_inside(loop.site, {loop.site.file, loop.with_attributes}, "a loop");
        places.check_attributes(loop.attributes);
        places.check_index(loop.function, model.functions.size(), "function of a loop");
        places.check_index(loop.counter_local, model.locals.size(), "counter of a loop");
        places.check_index(loop.parent, i, "loop around a loop"); // outer loops come first
        if (loop.parent != none)
            places.check_inside(loop.site, model.loops[loop.parent].site, "an inner loop");
        for (const auto& part : {loop.condition, loop.update}) {
            if (part)
                places.check(loop.site.file, *part, "a part of a loop's head");
        }
        const Index found = model.loop_at(loop.site.file, loop.keyword);
        require(found != none && model.loops[found].keyword == loop.keyword,
                [&] { return fmt::format("loop_at does not find the loop at {}", loop.keyword); });
    }
}

void check_calls(const ModuleModel& model, const Places& places) {
    for (const Call& call : model.calls) {
        places.check(call.site, "a call");
        places.check_inside({call.site.file, {call.open_parenthesis, call.open_parenthesis}},
                            call.site, "a call's parenthesis");
        for (Site argument : call.arguments)
            places.check_inside(argument, call.site, "an argument");
        places.check_index(call.function, model.functions.size(), "function of a call");
        places.check_index(call.loop, model.loops.size(), "loop of a call");
        const Index found = model.call_at(call.site.file, call.open_parenthesis);
        require(found != none && model.calls[found].open_parenthesis == call.open_parenthesis, [&] {
            return fmt::format("call_at does not find the call at {}", call.open_parenthesis);
        });
    }
}

void check_variables(const ModuleModel& model, const Places& places) {
    for (const Access& access : model.accesses) {
        places.check(access.site, "an access");
        if (access.subscript)
            places.check_inside(*access.subscript, access.site, "a subscript");
        if (access.subscript_index)
            places.check_inside(*access.subscript_index, *access.subscript, "an index");
        places.check_index(access.function, model.functions.size(), "function of an access");
        places.check_index(access.loop, model.loops.size(), "loop of an access");
        places.check_index(access.argument_of, model.calls.size(), "call of an access");
        places.check_index(access.receiver_of, model.calls.size(), "call of an access");
        places.check_index(access.local, model.locals.size(), "variable of an access");
    }
    for (const LocalVariable& local : model.locals) {
        places.check(local.site, "a local variable");
        if (local.initializer)
            places.check(*local.initializer, "an initializer");
        places.check_index(local.function, model.functions.size(), "function of a variable");
        places.check_index(local.loop, model.loops.size(), "loop of a variable");
    }
    for (const GlobalVariable& global : model.globals) {
        places.check(global.site, "a global variable");
        places.check_attributes(global.attributes);
    }
    for (const TypeDeclaration& type : model.types)
        places.check(type.site, "a type");
}

void check_macros(const ModuleModel& model, const Places& places) {
    for (const MacroDefinition& macro : model.macros) {
        if (macro.file < model.files.size())
            places.check(macro.file, macro.range, "a macro's definition");
        require(model.find_macro(macro.name),
                [&] { return fmt::format("find_macro does not find '{}'", macro.name); });
    }
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        std::uint32_t end = 0;
        for (ByteRange use : model.macro_uses[file]) {
            places.check(file, use, "a use of a macro");
            require(end <= use.begin && !use.empty(), [] { return "uses of macros overlap"; });
            end = use.end;
            require(model.is_macro({file, use}),
                    [] { return "is_macro does not know a use of a macro"; });
        }
    }
    for (Site site : model.unread)
        places.check(site, "what nests too deep");
}

} // namespace

void check_tree(const SourceFile& file, const SyntaxTree& tree) {
    const auto size = std::uint32_t(file.text().size());
    std::uint32_t end = 0;
    for (ByteRange error : tree.errors()) {
        require(end <= error.begin && error.begin <= error.end && error.end <= size,
                [&] { return fmt::format("{}: an error's range is wrong", file.path()); });
        require(tree.is_broken(error), [] { return "is_broken does not know an error"; });
        end = error.end;
    }
    std::vector<SyntaxNode> open{tree.root()};
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        std::uint32_t position = node.range().begin;
        for (SyntaxNode child : node.all_children()) {
            const ByteRange range = child.range();
            require(position <= range.begin && range.begin <= range.end &&
                        range.end <= node.range().end,
                    [&] {
                        return fmt::format("{}: a {} in a {} at [{}, {}) lies wrong", file.path(),
                                           child.kind(), node.kind(), range.begin, range.end);
                    });
            position = range.end;
            open.push_back(child);
        }
    }
}

void check_model(const ModuleModel& model) {
    require(model.trees.size() == model.files.size() &&
                model.macro_uses.size() == model.files.size(),
            [] { return "not every file has a tree"; });
    const Places places(model);
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        for (ByteRange error : model.trees[file].errors())
            require(model.is_broken({file, error}), [] { return "is_broken misses an error"; });
        require(model.find_file(model.files[file].path()) == file,
                [] { return "find_file does not find a file"; });
    }
    check_functions(model, places);
    check_loops(model, places);
    check_calls(model, places);
    check_variables(model, places);
    check_macros(model, places);
}

} // namespace slimgrad::front_end
