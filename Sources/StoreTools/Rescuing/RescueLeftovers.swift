import Foundation

/// The file of rows and values that the new store cannot hold: one JSON object a line.
final class RescueLeftovers {
    private let url: URL
    private var file: FileHandle?
    /// Whether anything was written.
    private(set) var isEmpty = true

    init(_ url: URL) { self.url = url }

    /// Writes a line.
    ///
    /// - Parameter values: Names of properties or columns, and their values.
    func add(
        entity: String?, table: String?, key: Int64?, reason: String, values: [(name: String, value: StoredValue)]
    ) throws {
        var object: [String: Any] = ["reason": reason]
        object["entity"] = entity
        object["table"] = table
        object["key"] = key.map { NSNumber(value: $0) }
        var fields: [String: Any] = [:]
        for (name, value) in values where value != .null { fields[name] = Self.json(value) }
        object["values"] = fields
        let line = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        let file = try opened()
        isEmpty = false
        try file.write(contentsOf: line + Data("\n".utf8))
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

    private static func json(_ value: StoredValue) -> Any {
        switch value {
        case .null: NSNull()
        case .integer(let number): NSNumber(value: number)
        case .real(let number): number.isFinite ? NSNumber(value: number) : "\(number)"
        case .text(let text): text
        case .blob(let data): ["base64": data.base64EncodedString()]
        }
    }
}
