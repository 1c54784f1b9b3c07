#pragma once

#include "plugin/cli/tune_run.h"
#include "plugin/trial/trial.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// `slimgrad.lock` in a project's root holds what `tune --lock` decided, for a build that shall
/// neither search nor need nvcc and g++: by shader the edits, line by line, with the rule, the
/// site, the evidence and the versions, and the SHA-256 of every file that the shader is made from.
/// It is JSON with one key per line, to be committed and reviewed.
constexpr const char* lock_name = "slimgrad.lock";

/// Writes the choices of these runs into the locks of their roots; what the locks hold of other
/// shaders stays. Error: a lock that is there is none, or cannot be written.
Result<void> write_locks(const std::vector<TuneRun>& runs);

/// A module as the lock of its root says it has to be.
struct LockedModule {
    ModuleReport report; ///< `file`, `original` and `changed` alone
    /// In which the lock was made otherwise than is built now, so that its figures may be others:
    /// "slangc 2025.1, here 2026.2; sm_89, here sm_90". "" where nothing differs.
    std::string made_with;
    std::vector<std::string> files; ///< all that it is made from: the lock, too
};

/// Nothing: there is no lock, or it does not hold this shader.
/// Error, which names the file: the lock is none, or was made of other texts or options than there
/// are now, or under the promise `noalias`, which is made no more.
/// `now`: what is built with, the version of slangc included.
/// `dependencies` tells the canonical paths of the files that the module is made from now; it is
/// only asked where the lock holds it.
Result<std::optional<LockedModule>>
read_locked(const ModuleSettings& settings, const MeasuredWith& now,
            const std::function<Result<std::vector<std::string>>()>& dependencies);

} // namespace slimgrad
