import CoreDataModelBuilding
import Foundation
import ModelFormat

/// The versions in an `.xcdatamodeld`, as names.
struct SourceVersions {
    /// The folder of the bundle.
    let path: String
    /// The names of the versions without extension, sorted with numbers in numeric order.
    private(set) var names: [String]
    /// The name of the version used for new stores.
    private(set) var current: String

    /// Reads the names of the versions, without reading the versions.
    ///
    /// - Throws: ``Diagnostic`` if the path is no `.xcdatamodeld`, and `ModelFormatError` if it cannot be read.
    init(at path: String) throws {
        let url = URL(fileURLWithPath: path)
        guard url.pathExtension == "xcdatamodeld" else {
            throw Diagnostic(
                message: "this is no .xcdatamodeld, which holds the versions of a model", file: path,
                advice: "Create one with modelc new, or name the .xcdatamodeld")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw Diagnostic(message: "there is no such model", file: path, advice: "modelc new creates one")
        }
        let entries: [String]
        do {
            entries = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw Diagnostic(message: "the folder cannot be read", file: path)
        }
        self.path = path
        names = entries.filter { ($0 as NSString).pathExtension == "xcdatamodel" && !$0.hasPrefix(".") }
            .map { ($0 as NSString).deletingPathExtension }
        names.sort { $0.compare($1, options: .numeric) == .orderedAscending }
        guard !names.isEmpty else {
            throw Diagnostic(message: "the bundle holds no .xcdatamodel", file: path)
        }
        current = try ModelBundle.currentSourceVersion(url, among: names)
    }

    /// Creates an `.xcdatamodeld` with one version, which is the current one.
    ///
    /// - Parameters:
    ///   - path: the folder to create.
    ///   - version: the name of the version.
    ///   - contents: the XML of the model.
    /// - Throws: ``Diagnostic`` if there is something at the path already, the name is invalid or writing fails. Nothing is
    ///   written then.
    static func create(at path: String, version: String, contents: Data) throws {
        try check(version, in: path)
        // The slash of "Model.xcdatamodeld/", as shells complete it.
        let url = URL(fileURLWithPath: path)
        let exists = Diagnostic(
            message: "there is something at this path already", file: path,
            advice: "Name another path, or change the model with modelc add and modelc version")
        // Attributes are those of a symbolic link itself, so that a dangling one counts.
        guard (try? FileManager.default.attributesOfItem(atPath: url.path)) == nil else { throw exists }
        let parent = url.deletingLastPathComponent()
        let new = parent.appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
        do {
            try writing(to: path) {
                let folder = new.appendingPathComponent(version + ".xcdatamodel")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try contents.write(to: folder.appendingPathComponent("contents"))
                try ModelBundle.currentVersionNote(version).write(to: new.appendingPathComponent(".xccurrentversion"))
                try FileManager.default.moveItem(at: new, to: url)
            }
        } catch {
            try? FileManager.default.removeItem(at: new)
            throw FileManager.default.fileExists(atPath: url.path) ? exists : error
        }
    }

    /// Returns the version with a name, in full or without the bundle's name (`3` for `Model 3`).
    func version(named name: String) throws(Diagnostic) -> String {
        guard let version = Self.match(name, among: names, bundle: bundleName) else {
            throw Diagnostic(
                message: "there is no version \(name)", file: path,
                advice: "The versions are \(names.joined(separator: ", "))")
        }
        return version
    }

    /// Returns the folder of a version.
    func folder(of version: String) -> String { "\(path)/\(version).xcdatamodel" }

    /// Makes a version the current one.
    mutating func makeCurrent(_ version: String) throws {
        let file = path + "/.xccurrentversion"
        try writing(to: file) {
            try ModelBundle.currentVersionNote(version).write(to: URL(fileURLWithPath: file), options: .atomic)
        }
        current = version
    }

    /// Copies a version, with all its files and those behind symbolic links.
    ///
    /// - Throws: ``Diagnostic`` if the name is invalid, there is a version of that name already, or copying fails.
    mutating func add(_ name: String, copying version: String) throws {
        try Self.check(name, in: path)
        let folder = folder(of: name)
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw Diagnostic(
                message: "there is a version \(name) already", file: folder,
                advice: "Choose another name; the versions are \(names.joined(separator: ", "))")
        }
        let copy = "\(path)/.\(name)-\(UUID().uuidString)"
        do {
            try writing(to: folder) {
                try Self.copyFiles(of: self.folder(of: version), to: copy)
                try FileManager.default.moveItem(atPath: copy, toPath: folder)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: copy)
            throw error
        }
        names.append(name)
    }

    /// Copies a folder, with files in place of symbolic links: changes of the copy change no other file.
    private static func copyFiles(of folder: String, to copy: String) throws {
        let manager = FileManager.default
        let source = URL(fileURLWithPath: folder).resolvingSymlinksInPath()
        try manager.copyItem(atPath: source.path, toPath: copy)
        for name in try manager.contentsOfDirectory(atPath: copy) {
            let file = source.appendingPathComponent(name)
            let isLink = (try? manager.destinationOfSymbolicLink(atPath: file.path)) != nil
            guard isLink, manager.fileExists(atPath: file.path) else { continue }
            try manager.removeItem(atPath: copy + "/" + name)
            try manager.copyItem(atPath: file.resolvingSymlinksInPath().path, toPath: copy + "/" + name)
        }
    }

    /// Throws if a name cannot be the name of a version's folder.
    static func check(_ name: String, in path: String) throws(Diagnostic) {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), !name.contains("\0") else {
            throw Diagnostic(
                message: "\"\(name)\" is no name for a version", file: path,
                advice: "Use a name without slashes that does not begin with a dot, such as \"Model 2\"")
        }
    }

    /// The name of the model with the number after those of the other versions: `Model 3` after `Model 2`.
    var nextName: String {
        let numbers = names.compactMap { name in
            name.hasPrefix(bundleName + " ") ? Int(name.dropFirst(bundleName.count + 1)) : nil
        }
        return "\(bundleName) \(max(names.count, numbers.max() ?? 1) + 1)"
    }

    private var bundleName: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }

    private static func match(_ name: String, among names: [String], bundle: String) -> String? {
        names.first { $0 == name } ?? names.first { $0 == "\(bundle) \(name)" }
    }
}
