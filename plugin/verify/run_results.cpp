#include "plugin/verify/run_results.h"

namespace slimgrad::verify {
namespace {

bool write(RecordHead head, std::string_view content, std::FILE* file) {
    head.bytes = content.size();
    return std::fwrite(&head, sizeof head, 1, file) == 1 &&
           std::fwrite(content.data(), 1, content.size(), file) == content.size();
}

} // namespace

bool write_sample(std::uint32_t sample, std::FILE* file) {
    RecordHead head;
    head.sample = sample;
    // At once: it tells where a crash or a hang happened.
    return write(head, "", file) && std::fflush(file) == 0;
}

bool write_changes(std::uint32_t sample, std::uint32_t buffer, const std::vector<Change>& changes,
                   std::FILE* file) {
    RecordHead head;
    head.kind = RecordKind::changes;
    head.sample = sample;
    head.buffer = buffer;
    return write(head,
                 {reinterpret_cast<const char*>(changes.data()), changes.size() * sizeof(Change)},
                 file);
}

bool write_status(std::string_view json, std::FILE* file) {
    RecordHead head;
    head.kind = RecordKind::status;
    return write(head, json, file);
}

} // namespace slimgrad::verify
