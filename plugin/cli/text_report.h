#pragma once

#include "plugin/cli/display.h"
#include "plugin/cli/finding_view.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// How findings are written out for a person.
struct TextOptions {
    Style style;
    std::string directory; ///< absolute; paths below it are shown relative to it
    bool why = false;      ///< rejected candidates and fixes that are not offered, too
    bool applying = false; ///< fixes are being made, not only shown
    /// Of the unchanged module, if known: a fix that was measured beside others says so.
    const Figures* before = nullptr;
};

/// A finding as `file:line:col: severity: message [rule]`, and below it the fix with its evidence;
/// with `why`, or where nothing answers the finding, each rejected candidate with its reason. ""
/// for one that brings nothing, without `why`.
std::string finding_text(const FindingView& view, const TextOptions& options);

/// Two figures side by side, one line per kernel that changed: `gradMain  registers 255 -> 96,
/// ...`, then the checkpoint bytes if they changed. Each line begins with `indent`.
std::string comparison_text(const Figures& before, const Figures& after, const std::string& indent);

/// Whether no figure tells the two apart.
bool same_figures(const Figures& a, const Figures& b);

/// `gradients bit-equal on 32 inputs (cpp branch)`, or the verdict with its reason.
std::string verdict_text(const VerifyResult& verified);

/// What a run over several modules came to.
struct Tally {
    std::size_t modules = 0;
    std::size_t text_only = 0;                    ///< rejected by slangc
    std::size_t failed = 0;                       ///< not examined at all
    std::size_t errors = 0, costs = 0, notes = 0; ///< findings that are left
    std::size_t fixed = 0, minor = 0, unsafe = 0, rejected = 0;
    std::size_t changed_files = 0;
    std::map<std::string, std::size_t> rules;   ///< findings by rule
    std::map<std::string, std::size_t> skipped; ///< files by reason

    void add(const std::vector<FindingView>& views);
};

/// One line: `3 modules: 1 error, 2 costs; 1 fixable with 'slimgrad fix' (1 minor with --minor)`.
std::string summary_text(const Tally& tally, const TextOptions& options);

/// The counts per rule and per reason for skipping, one line each.
std::string statistics_text(const Tally& tally);

} // namespace slimgrad
