#pragma once

#include "tests/grammar/inputs.h"
#include "tests/grammar/query.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slimgrad::tests {

/// The colour of every byte as an editor shows it: of nodes that lie in one another the inner
/// one's; what refers to a parameter or variable has the definition's. Empty where there is none.
std::vector<std::string> colours(const Parsed& parsed, const Query& highlights,
                                 const Query& locals);

/// What `tags.scm` says of the name that begins at each byte. Where two patterns capture the same
/// name, the first one counts.
std::map<std::uint32_t, std::string> tags(const Parsed& parsed, const Query& query);

} // namespace slimgrad::tests
