#if PostgreSQL
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server on the loopback interface that passes messages to and from a PostgreSQL server, and may cut connections, or
/// delay messages, at any of them.
package final class ServerProxy: @unchecked Sendable {
    /// A message of the protocol, version 3, after the startup.
    package struct Message: Sendable {
        package enum Sender: Sendable { case client, server }
        package let sender: Sender
        /// The type: `P` for Parse, `Z` for ReadyForQuery, and so on.
        package let type: UInt8
        /// The number of the message among those of its sender since the rule was set.
        package let number: Int
    }

    /// What is done with a message.
    package enum Action: Sendable {
        case pass
        /// Passes it after some seconds.
        case delay(Double)
        /// Closes the connection instead of passing it.
        case cut
        /// Passes it, then closes the connection.
        case passAndCut
    }

    private let lock = NSLock()
    private var rule: @Sendable (Message) -> Action = { _ in .pass }
    private var counts = (client: 0, server: 0)
    private var connections: [ObjectIdentifier: ProxiedConnection] = [:]
    private var isStopped = false
    private let listener: Int32
    private let target: (host: String, port: UInt16)
    package let port: UInt16

    /// Starts a proxy.
    ///
    /// - Parameter target: The loopback port of the server.
    package init(to target: URL) throws {
        self.target = (target.host ?? "127.0.0.1", UInt16(target.port ?? 5432))
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        self.listener = listener
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in acceptAll() }.start()
    }

    /// Returns the URL of a database over the proxy, without encryption.
    package func url(for url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
        parts.host = "127.0.0.1"
        parts.port = Int(port)
        parts.queryItems = [
            URLQueryItem(name: "sslmode", value: "disable"), URLQueryItem(name: "gssencmode", value: "disable"),
        ]
        return parts.url ?? url
    }

    /// Sets what is done with the messages from now on, counted from 0.
    package func setRule(_ rule: @escaping @Sendable (Message) -> Action) {
        lock.withLock {
            self.rule = rule
            counts = (0, 0)
        }
    }

    /// The number of messages since the rule was set.
    package var messageCounts: (client: Int, server: Int) { lock.withLock { counts } }

    package func stop() {
        let open = lock.withLock {
            isStopped = true
            return Array(connections.values)
        }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in open { connection.end() }
    }

    fileprivate func action(for type: UInt8, from sender: Message.Sender) -> Action {
        lock.lock()
        let rule = self.rule
        let number = sender == .client ? counts.client : counts.server
        if sender == .client { counts.client += 1 } else { counts.server += 1 }
        lock.unlock()
        return rule(Message(sender: sender, type: type, number: number))
    }

    fileprivate func remove(_ connection: ProxiedConnection) {
        lock.withLock { connections[ObjectIdentifier(connection)] = nil }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(port: target.port)
            let isOpen = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isOpen else {
                close(client)
                if server >= 0 { close(server) }
                continue
            }
            // Messages leave one by one: the kernel is not to wait for more of them.
            var isOn: Int32 = 1
            for descriptor in [client, server] {
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            }
            let connection = ProxiedConnection(client: client, server: server, self)
            let isStopped = lock.withLock {
                connections[ObjectIdentifier(connection)] = connection
                return self.isStopped
            }
            if isStopped { return connection.end() }
            connection.start()
        }
    }
}

/// One connection, with a thread for each direction.
private final class ProxiedConnection: @unchecked Sendable {
    private let client: Int32
    private let server: Int32
    private let proxy: ServerProxy
    private let lock = NSLock()
    private var running = 2

    init(client: Int32, server: Int32, _ proxy: ServerProxy) {
        self.client = client
        self.server = server
        self.proxy = proxy
    }

    func start() {
        Thread { [self] in pump(from: client, to: server, .client) }.start()
        Thread { [self] in pump(from: server, to: client, .server) }.start()
    }

    /// Ends both directions; the descriptors are closed when both threads have noticed.
    func end() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    private func pump(from source: Int32, to destination: Int32, _ sender: ServerProxy.Message.Sender) {
        defer { finish() }
        // The startup message has no type.
        if sender == .client {
            guard let startup = read(source, typed: false), write(startup, to: destination) else { return }
        }
        while let message = read(source, typed: true) {
            switch proxy.action(for: message[0], from: sender) {
            case .pass: break
            case .delay(let seconds): Thread.sleep(forTimeInterval: seconds)
            case .cut: return
            case .passAndCut:
                _ = write(message, to: destination)
                // The bytes must leave before the connection ends.
                shutdown(destination, Int32(SHUT_WR))
                Thread.sleep(forTimeInterval: 0.002)
                return
            }
            guard write(message, to: destination) else { return }
        }
    }

    private func finish() {
        end()
        let isLast = lock.withLock {
            running -= 1
            return running == 0
        }
        guard isLast else { return }
        close(client)
        close(server)
        proxy.remove(self)
    }

    private func read(_ source: Int32, typed: Bool) -> [UInt8]? {
        let headerBytes = typed ? 5 : 4
        guard let header = read(source, count: headerBytes) else { return nil }
        let length = header.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, let rest = read(source, count: length - 4) else { return nil }
        return header + rest
    }

    private func read(_ source: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = bytes.withUnsafeMutableBytes { recv(source, $0.baseAddress! + done, count - done, 0) }
            guard read > 0 else { return nil }
            done += read
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], to destination: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                send(destination, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return false }
            done += written
        }
        return true
    }
}
#endif
