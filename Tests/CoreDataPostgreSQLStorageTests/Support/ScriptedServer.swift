#if PostgreSQL
import Foundation

/// A server on a loopback port that accepts one connection, answers with given messages, and then closes it.
final class ScriptedServer: @unchecked Sendable {
    let port: Int
    private let socket: Int32

    /// A message of PostgreSQL's protocol.
    struct Message {
        var bytes: [UInt8]

        init(_ type: Character, _ content: [UInt8]) {
            let length = UInt32(content.count + 4)
            let bigEndian = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            bytes = [type.asciiValue ?? 0] + bigEndian + content
        }

        static let passwordRequest = Message("R", [0, 0, 0, 3])
        static let accepted = Message("R", [0, 0, 0, 0])
        static let ready = Message("Z", [UInt8(ascii: "I")])
        static func parameter(_ name: String, _ value: String) -> Message {
            Message("S", Array(name.utf8) + [0] + Array(value.utf8) + [0])
        }
        static func failure(_ state: String, _ text: String) -> Message {
            let fields = ["SFATAL", "VFATAL", "C\(state)", "M\(text)", "Fauth.c", "L326", "Rauth_failed"]
            return Message("E", fields.flatMap { Array($0.utf8) + [0] } + [0])
        }
    }

    /// - Parameter answers: One list for each message of the client; none for a server that never answers.
    init(_ answers: [[Message]]) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 8) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileWriteUnknown) }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard !answers.isEmpty else { return }
        Thread { Self.serve(socket, answers) }.start()
    }

    private static func serve(_ socket: Int32, _ answers: [[Message]]) {
        let client = accept(socket, nil, nil)
        guard client >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isFirst = true
        for answer in answers {
            var count = read(client, &buffer, buffer.count)
            // The question for TLS or GSSAPI: no.
            while isFirst, count == 8 {
                _ = send(client, [UInt8(ascii: "N")], 1, Int32(MSG_NOSIGNAL))
                count = read(client, &buffer, buffer.count)
            }
            isFirst = false
            let bytes = answer.flatMap(\.bytes)
            _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        _ = read(client, &buffer, buffer.count)
        close(client)
    }

    deinit { close(socket) }
}
#endif
