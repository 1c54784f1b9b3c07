#include "plugin/process/message_frame.h"

#include <cerrno>
#include <sys/socket.h>

namespace slimgrad {
namespace {

bool read_all(int socket, char* to, std::size_t size) {
    while (size > 0) {
        ssize_t got = recv(socket, to, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace

FrameHeader frame_header(std::uint64_t length) {
    FrameHeader header;
    for (char& byte : header) {
        byte = static_cast<char>(length & 0xff);
        length >>= 8;
    }
    return header;
}

std::uint64_t frame_length(const FrameHeader& header) {
    std::uint64_t length = 0;
    for (std::size_t i = header.size(); i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(header[i]);
    return length;
}

std::optional<std::string> read_frame(int socket) {
    FrameHeader header;
    if (!read_all(socket, header.data(), header.size()))
        return std::nullopt;
    std::string message(frame_length(header), '\0');
    if (!read_all(socket, message.data(), message.size()))
        return std::nullopt;
    return message;
}

bool write_frame(int socket, std::string_view message) {
    FrameHeader header = frame_header(message.size());
    return write_all(socket, {header.data(), header.size()}) && write_all(socket, message);
}

} // namespace slimgrad
