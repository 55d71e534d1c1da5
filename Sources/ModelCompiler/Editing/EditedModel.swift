import CoreDataModelBuilding
import Foundation
import ModelFormat

/// A version of a source model, opened for editing.
///
/// Change ``model``, then call ``write()``: only the elements that differ are changed in the text of the file. Comments,
/// line breaks, the order of elements and unknown parts stay as they are.
///
/// ```swift
/// var edited = try EditedModel(at: "Model.xcdatamodeld")
/// edited.model.entities.append(Entity(name: "Album", className: "Album"))
/// try edited.write()
/// ```
struct EditedModel {
    /// The path of the `contents` file.
    let file: String
    /// The model in the file.
    let original: Model
    /// The lines of the parts of ``original``.
    let lines: ModelLines
    /// The model to write.
    var model: Model
    private let data: Data

    /// Opens a model.
    ///
    /// - Parameters:
    ///   - path: an `.xcdatamodeld`, an `.xcdatamodel`, or a `contents` file.
    ///   - version: the name of a version, in full or without the bundle's name (`3` for `Model 3`); nil for the current one.
    /// - Throws: ``Diagnostic`` if the path is no source model, and `ModelFormatError` with the line if it is invalid.
    init(at path: String, version: String? = nil) throws {
        file = try Self.contentsFile(of: path, version: version)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Diagnostic(message: "the file cannot be read", file: file)
        }
        let document = try ModelDocument(xml: data, file: file)
        self.data = data
        original = document.model
        model = document.model
        lines = document.lines
    }

    /// Returns the path of the `contents` file of a model.
    private static func contentsFile(of path: String, version: String?) throws -> String {
        let kind = (path as NSString).pathExtension
        guard !["momd", "mom", "sqlite", "xcmappingmodel", "cdm"].contains(kind) else {
            throw Diagnostic(
                message: "only models in source form can be edited", file: path,
                advice: "modelc decompile writes a compiled model, or the model in a store, as an .xcdatamodeld")
        }
        if kind == "xcdatamodeld" {
            let versions = try SourceVersions(at: path)
            let name = try version.map { name throws in try versions.version(named: name) } ?? versions.current
            return try contentsFile(of: versions.folder(of: name), version: nil)
        }
        guard version == nil else {
            throw Diagnostic(message: "the model has no versions", file: path, advice: "Name the .xcdatamodeld")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Diagnostic(message: "there is no such model", file: path, advice: "modelc new creates one")
        }
        guard isFolder.boolValue else { return path }
        let file = path + "/contents"
        if FileManager.default.fileExists(atPath: file) { return file }
        let isOld = FileManager.default.fileExists(atPath: path + "/elements")
        throw Diagnostic(
            message: isOld ? "the model is in the binary form of Xcode 3" : "the model has no file contents",
            file: path,
            advice: isOld
                ? "Convert it with modelc decompile" : "Name an .xcdatamodeld or .xcdatamodel; modelc new creates one")
    }

    // MARK: Writing

    /// The problems of ``model`` that ``original`` does not have, with the lines of the file.
    var newProblems: [ModelFormatError] {
        let old = original.problems(lines: lines, file: file)
        return model.problems(lines: lines, file: file).filter { !old.contains($0) }
    }

    /// Returns the text of the file with the changes of ``model`` made in it.
    ///
    /// - Throws: `ModelFormatError` for a part that XML models cannot hold; ``Diagnostic`` if the text would not be read as
    ///   ``model``, as where the file declares the changed part twice.
    func text() throws -> Data {
        let kept = original.partsWithoutXMLForm()
        if let loss = model.partsWithoutXMLForm().first(where: { !kept.contains($0) }) { throw loss.inFile(file) }
        let new = model.xml()
        do throws(SourceEdits.Missing) {
            let text = try SourceEdits.apply(
                to: Array(data), from: Array(original.xml()), to: Array(new),
                renames: ElementRenames(from: original, to: model))
            let edited = try? ModelDocument(xml: Data(text)).model
            if let edited, edited.sorted().xml() == model.sorted().xml() { return Data(text) }
            throw SourceEdits.Missing(tag: "model", name: nil)
        } catch {
            throw Diagnostic(
                message: "the change to <\(error.tag)\(error.name.map { " name=\"\($0)\"" } ?? "")> cannot be made in "
                    + "this file without losing something",
                file: file, advice: "Make the change in a text editor")
        }
    }

    /// Writes the file atomically if the model differs from the one in the file. Returns whether it did.
    ///
    /// - Throws: the first of ``newProblems``; the errors of ``text()``; ``Diagnostic`` if the file has changed since it was
    ///   opened or cannot be written. The file is unchanged then.
    @discardableResult
    func write() throws -> Bool {
        if let problem = newProblems.first { throw problem }
        let text = try text()
        guard text != data else { return false }
        // Writing atomically replaces a symbolic link by a file.
        let url = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        guard FileManager.default.contents(atPath: file) == data else {
            throw Diagnostic(
                message: "the file has been changed by another program meanwhile", file: file, advice: "Try again")
        }
        try writing(to: file) { try text.write(to: url, options: .atomic) }
        return true
    }
}

extension Model {
    /// Returns the model with its parts sorted by name. Their order has no meaning.
    fileprivate func sorted() -> Model {
        var model = self
        model.entities.sort { $0.name < $1.name }
        for index in model.entities.indices {
            model.entities[index].attributes.sort { $0.name < $1.name }
            model.entities[index].relationships.sort { $0.name < $1.name }
            model.entities[index].fetchedProperties.sort { $0.name < $1.name }
            model.entities[index].fetchIndexes.sort { $0.name < $1.name }
        }
        model.fetchTemplates.sort { $0.name < $1.name }
        model.configurations.sort { $0.name < $1.name }
        model.composites.sort { $0.name < $1.name }
        return model
    }
}
