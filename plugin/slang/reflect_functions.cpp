#include "plugin/slang/reflect_functions.h"
#include "plugin/slang/reflect_layout.h"

#include <string_view>

namespace slimgrad::slang_plugin {
namespace {

using slang::Modifier;

/// What the compiler adds to every differentiable function, in extensions without a name.
bool is_synthesised(std::string_view name) {
    return name == "fwd_diff" || name == "bwd_diff" || name == "apply_bwd" || name == "remat";
}

class FunctionCollector {
  public:
    FunctionCollector(slang::ISession& session, const std::function<Place(Place)>& locate)
        : session_(session), locate_(locate) {}

    void visit(slang::DeclReflection& decl, const std::string& scope, bool generic) {
        const char* name = decl.getName();
        if (name && std::string_view(name).starts_with("$")) // synthesised context types
            return;
        switch (decl.getKind()) {
        case slang::DeclReflection::Kind::Func:
            if (slang::FunctionReflection* function = decl.asFunction();
                function && name && !is_synthesised(name))
                add(decl, *function, scope + name, generic);
            return;
        case slang::DeclReflection::Kind::Generic:
            if (slang::GenericReflection* container = decl.asGeneric())
                if (slang::DeclReflection* inner = container->getInnerDecl())
                    visit(*inner, scope, true);
            return;
        case slang::DeclReflection::Kind::Variable:
        case slang::DeclReflection::Kind::Enum:
            return;
        case slang::DeclReflection::Kind::Module:
        case slang::DeclReflection::Kind::Namespace:
            visit_children(decl, scope, generic);
            return;
        case slang::DeclReflection::Kind::Struct:
        case slang::DeclReflection::Kind::Unsupported:
            visit_children(decl, name && *name ? scope + name + "." : scope, generic);
            return;
        }
    }

    std::vector<FunctionSignature> take() { return std::move(functions_); }

  private:
    void visit_children(slang::DeclReflection& decl, const std::string& scope, bool generic) {
        for (unsigned i = 0; i < decl.getChildrenCount(); ++i)
            if (slang::DeclReflection* child = decl.getChild(i))
                visit(*child, scope, generic);
    }

    void add(slang::DeclReflection& decl, slang::FunctionReflection& function, std::string name,
             bool generic) {
        FunctionSignature signature;
        signature.name = std::move(name);
        signature.place = place_of(decl);
        signature.result_type = full_name(function.getReturnType());
        for (unsigned i = 0; i < function.getParameterCount(); ++i)
            if (slang::VariableReflection* parameter = function.getParameterByIndex(i))
                signature.parameters.push_back(reflect_parameter(*parameter));
        for (unsigned i = 0; i < function.getUserAttributeCount(); ++i)
            if (const char* attribute = function.getUserAttributeByIndex(i)->getName())
                signature.attributes.emplace_back(attribute);
        signature.differentiable = function.findModifier(Modifier::ID::Differentiable) != nullptr;
        signature.generic = generic;
        functions_.push_back(std::move(signature));
    }

    static FunctionSignature::Parameter reflect_parameter(slang::VariableReflection& variable) {
        FunctionSignature::Parameter parameter;
        parameter.name = variable.getName() ? variable.getName() : "";
        parameter.type = full_name(variable.getType());
        const bool in_out = variable.findModifier(Modifier::ID::InOut) != nullptr;
        const bool out = variable.findModifier(Modifier::ID::Out) != nullptr;
        parameter.is_out = in_out || out;
        parameter.is_in = in_out || !out;
        parameter.no_diff = variable.findModifier(Modifier::ID::NoDiff) != nullptr;
        return parameter;
    }

    Place place_of(slang::DeclReflection& decl) {
        slang::SourceLocation location;
        if (SLANG_FAILED(session_.getDeclSourceLocation(&decl, &location)) || !location.filePath ||
            location.line <= 0)
            return {};
        return locate_({location.filePath, static_cast<std::uint32_t>(location.line),
                        static_cast<std::uint32_t>(location.column)});
    }

    slang::ISession& session_;
    const std::function<Place(Place)>& locate_;
    std::vector<FunctionSignature> functions_;
};

} // namespace

std::vector<FunctionSignature> reflect_functions(slang::ISession& session,
                                                 slang::DeclReflection& module,
                                                 const std::function<Place(Place)>& locate) {
    FunctionCollector collector(session, locate);
    collector.visit(module, "", false);
    return collector.take();
}

} // namespace slimgrad::slang_plugin
