#pragma once

namespace slimgrad::slang_plugin {

/// The worker ends itself with this code when an allocation fails, so that its client can tell it
/// from a crash.
constexpr int exit_out_of_memory = 86;
/// With this one when it cannot read a request: its client is of another build.
constexpr int exit_unreadable_request = 87;

} // namespace slimgrad::slang_plugin
