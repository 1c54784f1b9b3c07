#include "tests/oracle/language_server.h"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace slimgrad::oracle {

namespace {

using nlohmann::json;

constexpr int no_server_status = 77;
constexpr int patience = 30'000; // milliseconds for one answer
constexpr std::string_view file_scheme = "file://";

std::string uri_of(const std::string& path) {
    std::string uri(file_scheme);
    for (const char c : path) {
        const bool plain = std::string_view("%#? ").find(c) == std::string_view::npos;
        uri += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

std::string path_of(std::string_view uri) {
    if (uri.starts_with(file_scheme))
        uri.remove_prefix(file_scheme.size());
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned value = 0;
        if (uri[i] == '%' && i + 2 < uri.size() &&
            std::from_chars(&uri[i + 1], &uri[i + 3], value, 16).ec == std::errc()) {
            path += static_cast<char>(value);
            i += 2;
        } else {
            path += uri[i];
        }
    }
    return path;
}

std::vector<Definition> definitions(const json& result) {
    std::vector<Definition> found;
    for (const json& location : result.is_array() ? result : json::array({result})) {
        if (!location.is_object() || !location.contains("range"))
            continue;
        const json& start = location["range"]["start"];
        found.push_back({path_of(location.value("uri", "")), start.value("line", 0u),
                         start.value("character", 0u)});
    }
    return found;
}

} // namespace

LanguageServer::LanguageServer(ChildProcess child, UniqueFd input, UniqueFd output)
    : child_(std::move(child)), input_(std::move(input)), output_(std::move(output)) {}

LanguageServer::~LanguageServer() {
    if (child_.exit_event.get() < 0)
        return; // moved from
    kill_child(child_);
    wait_child(child_);
}

Result<LanguageServer> LanguageServer::start(const std::string& launcher,
                                             const std::vector<std::string>& search_paths) {
    // It may end before it has read what it is sent.
    std::signal(SIGPIPE, SIG_IGN);
    Result<Pipe> input = open_pipe(), output = open_pipe();
    if (!input || !output)
        return tl::unexpected(Error{"cannot open a pipe", {}});
    ChildOptions options;
    options.arguments = {launcher};
    options.standard_input = input->read_end.get();
    options.standard_output = output->write_end.get();
    Result<ChildProcess> child = start_child(options);
    if (!child)
        return tl::unexpected(child.error());
    LanguageServer server(std::move(*child), std::move(input->write_end),
                          std::move(output->read_end));
    input->read_end = UniqueFd();
    output->write_end = UniqueFd();
    const auto greeting = server.request(
        "initialize", {{"processId", nullptr},
                       {"rootUri", nullptr},
                       {"capabilities", json::object()},
                       {"workspaceFolders", json::array({{{"uri", "file:///nowhere"},
                                                          {"name", "tests"}}})}});
    if (!greeting) {
        kill_child(server.child_);
        const ChildEnd end = wait_child(server.child_);
        server.child_ = ChildProcess();
        const bool missing = WIFEXITED(end.status) && WEXITSTATUS(end.status) == no_server_status;
        return tl::unexpected(
            Error{missing ? missing_server : "the language server does not answer", {}});
    }
    server.notify("initialized", json::object());
    server.notify("workspace/didChangeConfiguration",
                  {{"settings", {{"slang.additionalSearchPaths", search_paths},
                                 {"slang.searchInAllWorkspaceDirectories", false}}}});
    return server;
}

void LanguageServer::find_definitions(DefinitionQuery& query) {
    query.answers.assign(query.positions.size(), {});
    query.answered = false;
    const json document{{"uri", uri_of(query.path)}};
    json opened = document;
    opened.update({{"languageId", "slang"}, {"version", 1}, {"text", query.text}});
    if (!notify("textDocument/didOpen", {{"textDocument", opened}}))
        return;
    for (std::size_t i = 0; i < query.positions.size(); ++i) {
        const auto& [line, column] = query.positions[i];
        const auto answer = request(
            "textDocument/definition",
            {{"textDocument", document}, {"position", {{"line", line}, {"character", column}}}});
        if (!answer)
            return;
        query.answers[i] = definitions(answer->value("result", json()));
    }
    query.answered = notify("textDocument/didClose", {{"textDocument", document}});
}

bool LanguageServer::notify(const char* method, json parameters) {
    return write({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(parameters)}});
}

std::optional<json> LanguageServer::request(const char* method, json parameters) {
    const int id = ++last_id_;
    if (!write({{"jsonrpc", "2.0"},
                {"id", id},
                {"method", method},
                {"params", std::move(parameters)}}))
        return std::nullopt;
    for (;;) {
        std::optional<json> message = read();
        if (!message)
            return std::nullopt;
        const bool has_id = message->contains("id");
        if (!message->contains("method")) {
            if (has_id && (*message)["id"] == id)
                return message;
        } else if (has_id) { // it asks something itself
            write({{"jsonrpc", "2.0"}, {"id", (*message)["id"]}, {"result", nullptr}});
        }
    }
}

bool LanguageServer::write(const json& message) {
    const std::string body = message.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::string bytes = fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t written = ::write(input_.get(), bytes.data() + done, bytes.size() - done);
        if (written <= 0)
            return false;
        done += std::size_t(written);
    }
    return true;
}

std::optional<json> LanguageServer::read() {
    constexpr std::string_view length_field = "Content-Length:";
    for (;;) {
        const auto end_of_head = read_ahead_.find("\r\n\r\n");
        const auto field = read_ahead_.find(length_field);
        if (end_of_head != std::string::npos && field < end_of_head) {
            const std::size_t size = std::strtoul(&read_ahead_[field + length_field.size()],
                                                  nullptr, 10);
            if (read_ahead_.size() >= end_of_head + 4 + size) {
                json message =
                    json::parse(read_ahead_.substr(end_of_head + 4, size), nullptr, false);
                read_ahead_.erase(0, end_of_head + 4 + size);
                if (message.is_object())
                    return message;
                continue;
            }
        }
        pollfd ready{output_.get(), POLLIN, 0};
        std::array<char, 65536> buffer;
        if (poll(&ready, 1, patience) <= 0)
            return std::nullopt;
        const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
        if (count <= 0)
            return std::nullopt;
        read_ahead_.append(buffer.data(), std::size_t(count));
    }
}

} // namespace slimgrad::oracle
