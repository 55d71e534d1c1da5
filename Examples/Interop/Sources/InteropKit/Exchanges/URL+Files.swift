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

/// A version of a case's model, by the name of its file.
enum ModelVersion: String, CaseIterable, Sendable {
    case first = "Model"
    case second = "Model 2"
}

extension URL {
    /// Creates the folder. What was there is removed.
    func makeEmptyFolder() throws {
        try removeIfPresent()
        try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
    }

    /// Copies a file or a folder to a place of which the parent folder is there. What was at that place is removed.
    func copy(to destination: URL) throws {
        try destination.removeIfPresent()
        try FileManager.default.copyItem(at: self, to: destination)
    }

    /// Copies the store in this folder, its logs and its external data among it, to another folder, which is emptied.
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
    /// Writes a text, in place of what was there.
    func write(_ text: String) throws { try Data(text.utf8).write(to: self, options: .atomic) }

    /// Writes lines, each with an end.
    func write(lines: [String]) throws { try write(lines.map { $0 + "\n" }.joined()) }

    /// Returns the text of the file.
    func text() throws -> String { String(decoding: try Data(contentsOf: self), as: UTF8.self) }

    /// Returns the lines of the file, without their ends and without empty ones.
    func lines() throws -> [String] { try text().split(separator: "\n").map(String.init) }
}
