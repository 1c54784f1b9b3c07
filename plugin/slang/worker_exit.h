#pragma once

namespace slimgrad::slang_plugin {

/// The worker ends itself with this code when an allocation fails, so that its client can tell it
/// from a crash.
constexpr int exit_out_of_memory = 86;

} // namespace slimgrad::slang_plugin
