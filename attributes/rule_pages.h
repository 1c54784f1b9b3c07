#pragma once

#include <string_view>

/// The rules' pages (attributes/*.md), embedded by the build.
namespace slimgrad::pages {

extern const std::string_view custom_derivative;
extern const std::string_view detach;
extern const std::string_view carried_array;
extern const std::string_view emitted_code;
extern const std::string_view exit_flag;
extern const std::string_view frame_limit;
extern const std::string_view inductive_counter;
extern const std::string_view loop_body_helper;
extern const std::string_view loop_bound;
extern const std::string_view loop_replay;
extern const std::string_view loop_split;
extern const std::string_view nested_bounds;
extern const std::string_view no_diff_parameter;
extern const std::string_view no_gradient;
extern const std::string_view outline_inner_loop;
extern const std::string_view parameter_context;
extern const std::string_view prefer_checkpoint;
extern const std::string_view prefer_recompute;
extern const std::string_view rectangle_guard;
extern const std::string_view segment_loop;
extern const std::string_view split_phases;
extern const std::string_view syntax_error;
extern const std::string_view unroll_blowup;
extern const std::string_view wrong_gradient;
extern const std::string_view zero_based_loop;

} // namespace slimgrad::pages
