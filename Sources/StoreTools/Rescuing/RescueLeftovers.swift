import Foundation

/// The file of rows and values that the new store cannot hold: one JSON object a line.
final class RescueLeftovers {
    private let url: URL
    private var file: FileHandle?
    /// True if no row was written.
    private(set) var isEmpty = true

    init(_ url: URL) { self.url = url }

    /// Writes a line.
    ///
    /// - Parameter values: Names of properties or columns, and their values.
    func add(
        entity: String?, table: String?, key: Int64?, reason: String, values: [(name: String, value: StoredValue)]
    ) throws {
        let file = try opened()
        isEmpty = false
        var line = LeftoverLine(file)
        line.append("{")
        if let entity { try line.append(name: "entity", .text(entity)) }
        if let key { try line.append(name: "key", .integer(key)) }
        try line.append(name: "reason", .text(reason))
        if let table { try line.append(name: "table", .text(table)) }
        line.append(name: "values")
        line.append("{")
        let fields = Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where value != .null {
            try line.append(name: name, value)
        }
        line.append("}}\n")
        try line.flush()
    }

    /// Returns the size of the file, for ``cut(to:)``.
    func size() throws -> UInt64 { try file?.seekToEnd() ?? 0 }

    /// Removes what was written after a moment.
    func cut(to size: UInt64) throws { try file?.truncate(atOffset: size) }

    func close() throws { try file?.close() }

    private func opened() throws -> FileHandle {
        if let file { return file }
        guard FileManager.default.createFile(atPath: url.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: url.path)
        else {
            throw StoreToolError(
                .destination, "The file \(url.lastPathComponent) cannot be written.", advice: "Check the folder.",
                url: url)
        }
        file = handle
        return handle
    }
}

/// One line of JSON, written in parts: values may be large.
private struct LeftoverLine {
    private let file: FileHandle
    private var bytes: [UInt8] = []

    private static let partSize = 1 << 18

    init(_ file: FileHandle) { self.file = file }

    mutating func append(_ text: String) { bytes += text.utf8 }

    /// Adds the name of a member.
    mutating func append(name: String) {
        if bytes.last != UInt8(ascii: "{") { append(",") }
        append(text: name.utf8[...])
        append(":")
    }

    mutating func append(name: String, _ value: StoredValue) throws {
        append(name: name)
        switch value {
        case .null: append("null")
        case .integer(let number): append("\(number)")
        case .real(let number): append(number.isFinite ? "\(number)" : "\"\(number)\"")
        case .text(let text):
            bytes.append(UInt8(ascii: "\""))
            var rest = text.utf8[...]
            while !rest.isEmpty {
                appendEscaped(rest.prefix(Self.partSize))
                rest = rest.dropFirst(Self.partSize)
                try flush(from: Self.partSize)
            }
            bytes.append(UInt8(ascii: "\""))
        case .blob(let data):
            append("{\"base64\":\"")
            // Parts of a multiple of three bytes have no padding.
            let size = Self.partSize / 3 * 3
            var place = data.startIndex
            while place < data.endIndex {
                let end = min(place + size, data.endIndex)
                bytes += data[place..<end].base64EncodedData()
                place = end
                try flush(from: Self.partSize)
            }
            append("\"}")
        }
    }

    /// Writes what was added; unless it is less than a size.
    mutating func flush(from size: Int = 0) throws {
        guard bytes.count >= size else { return }
        try file.write(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func append(text: Substring.UTF8View) {
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: Substring.UTF8View) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0a: append("\\n")
            case 0x0d: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u00")
                append(String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
    }
}
