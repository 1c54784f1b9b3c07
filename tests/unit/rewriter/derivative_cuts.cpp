#include "rewriter/derivative_cuts.h"

#include "plugin/process/temporary_directory.h"
#include "plugin/slang/compiler.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

namespace slimgrad {

namespace {

using namespace verify;

constexpr std::string_view helper = R"(
uniform int slimgrad_cut_number;
[Differentiable]
T slimgrad_cut<T : IDifferentiable>(T value, no_diff int number)
{
    if (number == slimgrad_cut_number)
        return detach(value);
    return value;
}
)";

struct Place {
    ByteRange range;
    DerivativeCut cut;
};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// With a `no_diff` before it, which would not be the same before the cut.
ByteRange with_no_diff(std::string_view text, ByteRange range) {
    constexpr std::string_view word = "no_diff";
    const auto ends_with_it = [&](std::uint32_t end) {
        return text.substr(0, end).ends_with(word);
    };
    if (range.begin > 0 && ends_with_it(range.begin - 1)) // `no_diff x[i]`, `no_diff(x[i])`
        return text[range.begin - 1] == '(' ? ByteRange{range.begin - 8, range.end + 1}
                                            : ByteRange{range.begin - 8, range.end};
    return range;
}

/// What a use is cut with: `x.load(i)` where the use is the tensor x.
ByteRange range_to_cut(const ModuleModel& model, const Use& use) {
    for (const Call& call : model.calls) {
        if (call.site.file == use.site.file && call.site.range.begin == use.site.range.begin &&
            call.receiver == model.text(use.site) && call.callee.starts_with("load"))
            return with_no_diff(model.files[0].text(), call.site.range);
    }
    return model.text(use.site).ends_with(']') ? with_no_diff(model.files[0].text(), use.site.range)
                                               : use.site.range;
}

/// Uses that may be expressions of their own: no targets of writes, no receivers.
std::vector<Place> places_to_cut(const ModuleModel& model) {
    std::vector<Place> places;
    for (Index f = 0; f < model.functions.size(); ++f) {
        const Function& function = model.functions[f];
        if (function.site.file != 0 || !function.is_differentiable())
            continue;
        const FunctionFlow flow = read_flow(model, f);
        std::set<ByteRange> written;
        for (const Definition& definition : flow.definitions)
            written.insert(definition.site.range);
        for (const Use& use : flow.uses) {
            const Variable& variable = flow.variables[use.variable];
            if (written.contains(use.site.range) || variable.kind == VariableKind::other ||
                model.is_macro(use.site))
                continue;
            DerivativeCut cut;
            cut.function = function.qualified_name;
            cut.text = std::string(model.text(use.site));
            const auto place = model.place(use.site);
            cut.line = place.line;
            cut.column = place.column;
            cut.model = use.derivative;
            cut.reason = use.reason;
            places.push_back({range_to_cut(model, use), std::move(cut)});
        }
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.range < b.range; });
    return places;
}

/// The text with the cuts, whose numbers are their indices.
std::string with_cuts(std::string_view text, const std::vector<Place>& places) {
    struct Insertion {
        std::uint32_t at;
        bool closes;
        std::uint32_t length; ///< of the use: outer ones open first and close last
        std::string text;
    };
    std::vector<Insertion> insertions;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const ByteRange range = places[i].range;
        const std::uint32_t length = range.end - range.begin;
        insertions.push_back({range.begin, false, length, "slimgrad_cut("});
        insertions.push_back({range.end, true, length, fmt::format(", {})", i)});
    }
    std::sort(insertions.begin(), insertions.end(), [](const Insertion& a, const Insertion& b) {
        if (a.at != b.at)
            return a.at < b.at;
        if (a.closes != b.closes)
            return a.closes;
        return a.closes ? a.length < b.length : a.length > b.length;
    });
    std::string result;
    std::uint32_t done = 0;
    for (const Insertion& insertion : insertions) {
        result += text.substr(done, insertion.at - done);
        result += insertion.text;
        done = insertion.at;
    }
    result += text.substr(done);
    return result + std::string(helper);
}

class CutRun {
  public:
    CutRun(const std::string& path, Machine machine, const std::vector<std::string>& arguments)
        : machine_(machine), path_(std::filesystem::canonical(path).string()),
          text_(read_file(path)), compiler_({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}}) {
        request_.file = path_;
        request_.arguments = arguments;
        request_.project_root = std::filesystem::path(path_).parent_path().string();
        request_.checkpoint_report = false;
    }

    CutsOfFile run() {
        request_.target = machine_ == Machine::cpp ? SlangTarget::cpp : SlangTarget::cuda;
        CompileResult plain = compile(text_);
        if (!plain.succeeded())
            return problem("does not compile: " + messages(plain));
        std::vector<SourceFile> files;
        files.emplace_back(path_, text_);
        for (const std::string& dependency : plain.dependencies) {
            if (dependency != path_)
                files.emplace_back(dependency, read_file(dependency));
        }
        const ModuleModel model = build_module_model(std::move(files));
        std::vector<Place> places = places_to_cut(model);
        const std::size_t all = places.size();
        CompileResult cut = compile_cut(places);
        if (!cut.succeeded())
            return problem("with cuts it does not compile: " + messages(cut));
        for (const auto& entry : cut.reflection.entry_points)
            run_kernel(cut, entry.name, places);
        if (result_.kernels == 0)
            return problem("no kernel runs: " + last_);
        result_.not_cut = all - places.size();
        for (Place& place : places)
            result_.cuts.push_back(std::move(place.cut));
        return result_;
    }

  private:
    CutsOfFile problem(std::string text) {
        result_.problem = std::move(text);
        return result_;
    }

    CompileResult compile(const std::string& text) {
        request_.overlay[path_] = text;
        Result<CompileResult> result = compiler_.compile(request_);
        if (result)
            return std::move(*result);
        CompileResult failed;
        failed.status = CompileStatus::crashed;
        failed.detail = result.error().message;
        return failed;
    }

    static std::string messages(const CompileResult& compiled) {
        std::string text = compiled.detail;
        for (const Diagnostic& diagnostic : compiled.diagnostics) {
            if (diagnostic.severity == DiagnosticSeverity::error && text.size() < 300)
                text += fmt::format(" {}:{}: {}", diagnostic.place.line, diagnostic.place.column,
                                    diagnostic.message);
        }
        return text;
    }

    /// Leaves out what cannot be cut: where the compiler points to, until it is content.
    CompileResult compile_cut(std::vector<Place>& places) {
        for (int attempt = 0;; ++attempt) {
            const std::string text = with_cuts(text_, places);
            CompileResult compiled = compile(text);
            if (compiled.status != CompileStatus::rejected || attempt > 12)
                return compiled;
            const SourceFile file(path_, text);
            std::set<std::size_t> wrong;
            for (const Diagnostic& diagnostic : compiled.diagnostics) {
                if (diagnostic.severity == DiagnosticSeverity::error &&
                    diagnostic.place.file == path_)
                    find_cuts(text, file.offset(diagnostic.place.line, diagnostic.place.column),
                              wrong);
            }
            if (wrong.empty())
                return compiled;
            std::vector<Place> rest;
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (!wrong.contains(i))
                    rest.push_back(std::move(places[i]));
            }
            places = std::move(rest);
        }
    }

    /// Cuts that the line of an error holds behind it, the nearest one; of the line, if there is
    /// none.
    static void find_cuts(const std::string& text, std::size_t at, std::set<std::size_t>& wrong) {
        const auto number_after = [&](std::size_t open) -> std::optional<std::size_t> {
            int depth = 0;
            for (std::size_t i = open; i < text.size(); ++i) {
                depth += text[i] == '(' || text[i] == '['   ? 1
                         : text[i] == ')' || text[i] == ']' ? -1
                                                            : 0;
                if (depth == 0) {
                    const std::size_t comma = text.rfind(", ", i);
                    return std::stoul(text.substr(comma + 2, i - comma - 2));
                }
            }
            return std::nullopt;
        };
        constexpr std::string_view name = "slimgrad_cut(";
        const std::size_t begin = text.rfind('\n', at) + 1;
        std::size_t found = text.rfind(name, at + name.size());
        if (found == std::string::npos || found < begin)
            found = text.find(name, at);
        if (found == std::string::npos)
            return;
        if (const auto number = number_after(found + name.size() - 1))
            wrong.insert(*number);
    }

    void run_kernel(const CompileResult& compiled, const std::string& name,
                    std::vector<Place>& places) {
        const InstrumentedText text =
            instrument(compiled.code, code_name(compiled.reflection, name), machine_);
        VerifyOptions options;
        Result<InputPlan> plan =
            make_plan({&compiled.reflection, name, &options, first_elements, DefaultInputs{},
                       &text.used_globals, machine_,
                       machine_ == Machine::cuda ? cuda_use(compiled.code) : CudaUse{}});
        if (!plan) {
            last_ = plan.error().message;
            return;
        }
        plan->rounds.resize(places.size() + 1);
        for (std::size_t i = 0; i <= places.size(); ++i)
            plan->rounds[i].fixed["slimgrad_cut_number"] = {double(i) - 1};
        static const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
        static CpuLibraries libraries("g++", folder->path());
        const auto library = libraries.compile({text.code}, {});
        if (!library || library->front().path.empty()) {
            last_ = library ? library->front().rejection.message : library.error().message;
            return;
        }
        KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
        ProcessLimits limits{std::chrono::milliseconds{120'000}, 8ull << 30, 2048ull << 20};
        const Result<KernelRun> run =
            runner.run({library->front().path, code_name(compiled.reflection, name), 0, samples},
                       *plan, limits);
        if (!run || run->end != KernelRun::End::done) {
            last_ = run ? "it ends: " + run->failure + run->buffer : run.error().message;
            return;
        }
        ++result_.kernels;
        compare(*run, *plan, places);
    }

    /// Every round with the first, which cuts nothing.
    static void compare(const KernelRun& run, const InputPlan& plan, std::vector<Place>& places) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, const BufferChanges*> uncut;
        for (const BufferChanges& changes : run.changes) {
            if (changes.round == 0)
                uncut[{changes.sample, changes.buffer}] = &changes;
        }
        for (const BufferChanges& changes : run.changes) {
            if (changes.round == 0)
                continue;
            const auto first = uncut.find({changes.sample, changes.buffer});
            if (first == uncut.end() ||
                !same(first->second->changes, changes.changes, plan.buffers[changes.buffer]))
                places[changes.round - 1].cut.changed = true;
        }
    }

    static bool same(const std::vector<Change>& a, const std::vector<Change>& b,
                     const BufferPlan& buffer) {
        return a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(), [&](const Change& x, const Change& y) {
                   // -0 and 0 are one gradient.
                   const auto is_zero = [](std::uint64_t bits) { return (bits & 0x7fffffff) == 0; };
                   (void)buffer;
                   return x.index == y.index &&
                          (x.after == y.after || (is_zero(x.after) && is_zero(y.after)));
               });
    }

    static constexpr std::uint32_t samples = 6;

    const Machine machine_;
    const std::string path_, text_;
    SlangCompiler compiler_;
    CompileRequest request_;
    CutsOfFile result_;
    std::string last_ = "there is none";
};

} // namespace

CutsOfFile cut_derivatives(const std::string& path, Machine machine,
                           const std::vector<std::string>& arguments) {
    return CutRun(path, machine, arguments).run();
}

} // namespace slimgrad
