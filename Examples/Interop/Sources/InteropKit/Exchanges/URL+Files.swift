import Foundation

/// The files in the folder of a case.
extension URL {
    var store: URL { appendingPathComponent("Store.sqlite") }
    var models: URL { appendingPathComponent("Model.momd") }
    var values: URL { appendingPathComponent("values.txt") }
    var rows: URL { appendingPathComponent("rows.sql") }
    var hashes: URL { appendingPathComponent("hashes.txt") }

    /// Returns the file of one version in a `.momd`.
    func model(_ version: ModelVersion) -> URL { appendingPathComponent(version.rawValue + ".mom") }
}

/// A version of a case's model. The raw value is the name of its file.
enum ModelVersion: String, CaseIterable, Sendable {
    case first = "Model"
    case second = "Model 2"
}

extension URL {
    /// Creates an empty folder. Removes an existing file or folder.
    func makeEmptyFolder() throws {
        try removeIfPresent()
        try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
    }

    /// Copies a file or folder. The parent folder of the destination must exist. Removes an existing file or folder there.
    func copy(to destination: URL) throws {
        try destination.removeIfPresent()
        try FileManager.default.copyItem(at: self, to: destination)
    }

    /// Copies the store in this folder, with its log and external data, to another folder, which is emptied first.
    ///
    /// - Throws: ``InteropError`` if the folder has no store, Foundation's errors.
    func copyStore(to folder: URL) throws {
        guard FileManager.default.fileExists(atPath: store.path) else {
            throw InteropError("there is no store at \(store.path)")
        }
        try folder.makeEmptyFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.hasPrefix("Store.") || name.hasPrefix(".Store") {
            try appendingPathComponent(name).copy(to: folder.appendingPathComponent(name))
        }
    }

    private func removeIfPresent() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(at: self) }
    }
}

extension URL {
    /// Writes a text and replaces an existing file.
    func write(_ text: String) throws { try Data(text.utf8).write(to: self, options: .atomic) }

    /// Writes lines, each terminated by a newline.
    func write(lines: [String]) throws { try write(lines.map { $0 + "\n" }.joined()) }

    /// Returns the text of the file.
    func text() throws -> String { String(decoding: try Data(contentsOf: self), as: UTF8.self) }

    /// Returns the lines of the file without terminators and empty lines.
    func lines() throws -> [String] { try text().split(separator: "\n").map(String.init) }
}
