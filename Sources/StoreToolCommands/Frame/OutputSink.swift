import Foundation

/// Receives the output of a command.
///
/// Used by one thread at a time.
package protocol OutputSink: AnyObject {
    /// Writes bytes, possibly into a buffer.
    ///
    /// - Throws: ``OutputClosed`` if the reader has ended; `POSIXError` if writing failed.
    func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Passes buffered bytes on.
    func flush() throws
}

extension OutputSink {
    package func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    package func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}

/// The reader of the output has ended, as `head` does when it has its lines.
package struct OutputClosed: Error {}

/// A buffered sink that writes to a file descriptor.
package final class FileSink: OutputSink {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private let capacity: Int
    private var isClosed = false

    /// Creates a sink. SIGPIPE must be ignored by the process.
    package init(_ descriptor: Int32, capacity: Int = 1 << 16) {
        self.descriptor = descriptor
        self.capacity = capacity
        buffer.reserveCapacity(capacity)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        if isClosed { throw OutputClosed() }
        if buffer.count + bytes.count > capacity { try flush() }
        guard bytes.count < capacity else { return try put(bytes) }
        buffer.append(contentsOf: bytes)
    }

    package func flush() throws {
        if isClosed { throw OutputClosed() }
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { try put($0) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            case EPIPE:
                isClosed = true
                throw OutputClosed()
            case let code: throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
            }
        }
    }
}

/// A sink that collects the output.
package final class TextSink: OutputSink {
    package private(set) var bytes: [UInt8] = []
    private let limit: Int

    /// Creates a sink that behaves like a closed pipe after a number of bytes.
    package init(closesAfter limit: Int = .max) { self.limit = limit }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package func write(_ new: UnsafeRawBufferPointer) throws {
        guard bytes.count + new.count <= limit else { throw OutputClosed() }
        bytes.append(contentsOf: new)
    }

    package func flush() {}
}
