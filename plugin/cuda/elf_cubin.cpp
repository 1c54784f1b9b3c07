#include "plugin/cuda/elf_cubin.h"

#include <bit>
#include <cstring>
#include <elf.h>
#include <map>

namespace slimgrad {
namespace {

static_assert(std::endian::native == std::endian::little, "cubins are read as they lie in memory");

/// A view of bytes that hands out values only from inside itself.
class Bytes {
  public:
    explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

    template <class T> std::optional<T> at(std::uint64_t offset) const {
        T value;
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof value)
            return std::nullopt;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::optional<Bytes> slice(std::uint64_t offset, std::uint64_t size) const {
        if (offset > bytes_.size() || bytes_.size() - offset < size)
            return std::nullopt;
        return Bytes(bytes_.substr(offset, size));
    }
    std::optional<std::string> string(std::uint64_t offset) const {
        std::size_t end =
            offset < bytes_.size() ? bytes_.find('\0', offset) : std::string_view::npos;
        if (end == std::string_view::npos)
            return std::nullopt;
        return std::string(bytes_.substr(offset, end - offset));
    }
    std::uint64_t size() const { return bytes_.size(); }

  private:
    std::string_view bytes_;
};

struct Section {
    std::string name;
    std::uint32_t link = 0;
    std::uint64_t size = 0;
    Bytes bytes{{}};
};

std::optional<std::vector<Section>> read_sections(Bytes file) {
    auto header = file.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return std::nullopt;
    std::vector<Elf64_Shdr> headers;
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        auto section = file.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
        if (!section)
            return std::nullopt;
        headers.push_back(*section);
    }
    if (header->e_shstrndx >= headers.size())
        return std::nullopt;
    const Elf64_Shdr& name_header = headers[header->e_shstrndx];
    auto names = file.slice(name_header.sh_offset, name_header.sh_size);
    std::vector<Section> sections;
    for (const Elf64_Shdr& section : headers) {
        auto name = names ? names->string(section.sh_name) : std::nullopt;
        // A section without bytes in the file (.bss) has a size all the same.
        auto bytes = section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL
                         ? Bytes({})
                         : file.slice(section.sh_offset, section.sh_size);
        if (!name || !bytes)
            return std::nullopt;
        sections.push_back({std::move(*name), section.sh_link, section.sh_size, *bytes});
    }
    return sections;
}

std::optional<std::vector<std::string>> read_symbol_names(const std::vector<Section>& sections) {
    std::vector<std::string> names;
    for (const Section& section : sections) {
        if (section.name != ".symtab")
            continue;
        if (section.link >= sections.size())
            return std::nullopt;
        for (std::uint64_t offset = 0; offset < section.size; offset += sizeof(Elf64_Sym)) {
            auto symbol = section.bytes.at<Elf64_Sym>(offset);
            auto name =
                symbol ? sections[section.link].bytes.string(symbol->st_name) : std::nullopt;
            if (!name)
                return std::nullopt;
            names.push_back(std::move(*name));
        }
    }
    return names;
}

/// Counts LDL and STL by their operation codes, the low 12 bits of an instruction's 16 bytes. They
/// are what nvdisasm shows for every architecture from sm_70 on, and asking it takes 0.2 s.
void count_local_accesses(const Bytes& code, CubinFunction& function) {
    constexpr std::uint64_t instruction_bytes = 16;
    constexpr std::uint16_t code_mask = 0xfff, ldl = 0x983, stl = 0x387;
    for (std::uint64_t offset = 0; offset < code.size(); offset += instruction_bytes) {
        const std::uint16_t operation = code.at<std::uint16_t>(offset).value_or(0) & code_mask;
        function.local_loads += operation == ldl;
        function.local_stores += operation == stl;
    }
}

/// Register counts by symbol number. `.nv.info` is a row of attributes {u8 format, u8 attribute,
/// ...}; format 4 is followed by a u16 size and as many bytes, the others by two bytes. REGCOUNT
/// holds {u32 symbol, u32 count}.
std::optional<std::map<std::uint32_t, std::uint32_t>> read_register_counts(const Bytes& info) {
    constexpr std::uint8_t sized_format = 4, register_count = 0x2f;
    std::map<std::uint32_t, std::uint32_t> counts;
    for (std::uint64_t offset = 0; offset < info.size();) {
        auto format = info.at<std::uint8_t>(offset), attribute = info.at<std::uint8_t>(offset + 1);
        auto size = info.at<std::uint16_t>(offset + 2);
        if (!format || !attribute || !size)
            return std::nullopt;
        offset += 4;
        if (*format != sized_format)
            continue;
        if (*attribute == register_count) {
            auto symbol = info.at<std::uint32_t>(offset),
                 count = info.at<std::uint32_t>(offset + 4);
            if (!symbol || !count)
                return std::nullopt;
            counts[*symbol] = *count;
        }
        offset += *size;
    }
    return counts;
}

} // namespace

Result<std::vector<CubinFunction>> read_cubin(std::string_view bytes) {
    const auto damaged = [] { return fail("the cubin is damaged or of an unknown format"); };
    auto sections = read_sections(Bytes(bytes));
    if (!sections)
        return damaged();
    auto symbols = read_symbol_names(*sections);
    if (!symbols)
        return damaged();

    std::vector<CubinFunction> functions;
    std::map<std::string, std::size_t> by_symbol;
    constexpr std::string_view text_prefix = ".text.";
    for (const Section& section : *sections) {
        if (!section.name.starts_with(text_prefix))
            continue;
        std::string symbol = section.name.substr(text_prefix.size());
        by_symbol[symbol] = functions.size();
        CubinFunction& function = functions.emplace_back();
        function.symbol = std::move(symbol);
        function.code_bytes = static_cast<std::uint32_t>(section.size);
        count_local_accesses(section.bytes, function);
    }
    // What is no function with code of its own here (declared elsewhere, a sentinel of the call
    // graph) has no row.
    const auto function_of = [&](std::uint32_t symbol) -> CubinFunction* {
        if (symbol >= symbols->size())
            return nullptr;
        auto found = by_symbol.find((*symbols)[symbol]);
        return found == by_symbol.end() ? nullptr : &functions[found->second];
    };
    for (const Section& section : *sections) {
        if (section.name == ".nv.info") {
            auto counts = read_register_counts(section.bytes);
            if (!counts)
                return damaged();
            for (auto [symbol, count] : *counts)
                if (CubinFunction* function = function_of(symbol))
                    function->registers = count;
        } else if (section.name == ".nv.callgraph") {
            for (std::uint64_t offset = 0; offset + 8 <= section.size; offset += 8) {
                CubinFunction* caller = function_of(*section.bytes.at<std::uint32_t>(offset));
                CubinFunction* callee = function_of(*section.bytes.at<std::uint32_t>(offset + 4));
                if (caller != nullptr && callee != nullptr)
                    caller->callees.push_back(callee->symbol);
            }
        }
    }
    return functions;
}

} // namespace slimgrad
