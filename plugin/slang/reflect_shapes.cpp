#include "plugin/slang/reflect_shapes.h"
#include "plugin/slang/reflect_layout.h"

#include <algorithm>

namespace slimgrad::slang_plugin {
namespace {

using slang::Modifier;

/// "N::S<A.B>" of "N::S<A.B>::f"; "" of a name without scope.
std::string scope_of(const std::string& name) {
    int depth = 0;
    for (std::size_t i = name.size(); i > 0; --i) {
        const char c = name[i - 1];
        depth += c == '>' ? 1 : c == '<' ? -1 : 0;
        if (depth == 0 && c == '.')
            return name.substr(0, i - 1);
        if (depth == 0 && c == ':' && i > 1)
            return name.substr(0, i - 2);
    }
    return "";
}

class ShapeReader {
  public:
    explicit ShapeReader(slang::ProgramLayout& program)
        : program_(program), differentiable_(program.findTypeByName("IDifferentiable")) {}

    /// One shape, or one for each overload.
    std::vector<FunctionShape> read(const std::string& name) {
        FunctionShape unknown;
        unknown.name = name;
        slang::FunctionReflection* function = program_.findFunctionByName(name.c_str());
        if (!function)
            return {unknown};
        std::vector<FunctionShape> shapes;
        const unsigned overloads = function->isOverloaded() ? function->getOverloadCount() : 0;
        for (unsigned i = 0; i < std::max(overloads, 1u); ++i) {
            slang::FunctionReflection* one = overloads == 0 ? function : function->getOverload(i);
            // The layout of a type that is still a parameter would be a crash.
            if (one && (!one->getGenericContainer() || name.find('<') != std::string::npos))
                shapes.push_back(read(name, *one));
        }
        if (!shapes.empty())
            return shapes;
        unknown.known = true;
        unknown.problem =
            "is generic, and its arguments are not written: write `bwd_diff(" + name + "<TYPE>)`";
        return {unknown};
    }

  private:
    FunctionShape read(const std::string& name, slang::FunctionReflection& function) {
        FunctionShape shape;
        shape.name = name;
        shape.known = true;
        read_this(function, shape);
        for (unsigned i = 0; i < function.getParameterCount(); ++i) {
            slang::VariableReflection& variable = *function.getParameterByIndex(i);
            FunctionShape::Value value;
            value.name = variable.getName() ? variable.getName() : "";
            const bool in_out = variable.findModifier(Modifier::ID::InOut) != nullptr;
            value.is_out = in_out || variable.findModifier(Modifier::ID::Out) != nullptr;
            value.is_in = in_out || !value.is_out;
            value.no_diff = variable.findModifier(Modifier::ID::NoDiff) != nullptr;
            read_type(variable.getType(), value.type, shape);
            shape.parameters.push_back(std::move(value));
        }
        slang::TypeReflection* result = function.getReturnType();
        shape.result_no_diff = function.findModifier(Modifier::ID::NoDiff) != nullptr;
        if (result && result->getScalarType() != slang::TypeReflection::ScalarType::Void)
            read_type(result, shape.result.emplace(), shape);
        return shape;
    }

    void read_this(slang::FunctionReflection& function, FunctionShape& shape) {
        const std::string owner = scope_of(shape.name);
        slang::TypeReflection* type = owner.empty() || function.findModifier(Modifier::ID::Static)
                                          ? nullptr
                                          : program_.findTypeByName(owner.c_str());
        if (!type)
            return; // a namespace, or nothing
        shape.has_this = true;
        FunctionShape::Value value;
        value.name = "this";
        value.is_out = function.findModifier(Modifier::ID::Mutating) != nullptr;
        read_type(type, value.type, shape);
        shape.parameters.push_back(std::move(value));
    }

    void read_type(slang::TypeReflection* type, TypeLayout& to, FunctionShape& shape) {
        slang::TypeLayoutReflection* layout = type ? program_.getTypeLayout(type) : nullptr;
        if (!layout) {
            to.name = full_name(type);
            if (shape.problem.empty())
                shape.problem = "has a parameter of type " + to.name + ", which has no layout";
            return;
        }
        to = reflect_type(*layout);
        if (type->getKind() == slang::TypeReflection::Kind::Enum)
            to.name = full_name(type); // its layout is an integer's
        read_differentials(*type, shape);
    }

    void read_differentials(slang::TypeReflection& type, FunctionShape& shape) {
        if (type.getKind() == slang::TypeReflection::Kind::Array) {
            if (type.getElementType())
                read_differentials(*type.getElementType(), shape);
            return;
        }
        if (type.getKind() != slang::TypeReflection::Kind::Struct || !differentiable_ ||
            !program_.isSubType(&type, differentiable_))
            return;
        const std::string name = full_name(&type);
        if (shape.differentials.contains(name))
            return;
        slang::TypeReflection* differential =
            program_.findTypeByName((name + ".Differential").c_str());
        slang::TypeLayoutReflection* layout =
            differential ? program_.getTypeLayout(differential) : nullptr;
        if (!layout)
            return;
        shape.differentials[name] = reflect_type(*layout);
        for (unsigned i = 0; i < type.getFieldCount(); ++i)
            if (slang::VariableReflection* field = type.getFieldByIndex(i))
                if (field->getType())
                    read_differentials(*field->getType(), shape);
    }

    slang::ProgramLayout& program_;
    slang::TypeReflection* differentiable_;
};

} // namespace

std::vector<FunctionShape> reflect_shapes(slang::ProgramLayout& program,
                                          const std::vector<std::string>& names) {
    ShapeReader reader(program);
    std::vector<FunctionShape> shapes;
    for (const std::string& name : names)
        for (FunctionShape& shape : reader.read(name))
            shapes.push_back(std::move(shape));
    return shapes;
}

} // namespace slimgrad::slang_plugin
