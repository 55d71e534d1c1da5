import Foundation
import ModelFormat
import ModelPredicates

extension NSManagedObjectModel {
    /// Saves the model to a file. An addition of this framework: Apple's can only read models.
    ///
    /// An existing file is replaced; in an `.xcdatamodeld` only the version of that name, which becomes the current one. A
    /// model built in code can thus be saved, inspected in Xcode, compared with `modelc diff`, and compiled.
    ///
    /// - Parameters:
    ///   - url: the file's URL. The extension determines the form: `xcdatamodeld` or `xcdatamodel` (XML, as Xcode edits it),
    ///     `momd` or `mom` (compiled, as Apple's framework reads it).
    ///   - versionName: the version's name in a bundle; `nil` for the bundle's name.
    /// - Returns: descriptions of the parts that the XML form cannot represent and that were omitted; empty for compiled forms.
    /// - Throws: `NSCoreDataError` if the model is inconsistent or the extension unknown; Foundation's errors of writing.
    @discardableResult
    public func write(to url: URL, versionName: String? = nil) throws -> [String] {
        let values = ModelValues.model(self)
        if let problem = ModelFileError.gravest(of: values) { throw ModelFileError.wrapped(problem) }
        let name = versionName ?? url.deletingPathExtension().lastPathComponent
        do {
            switch url.pathExtension {
            case "xcdatamodeld":
                try ModelBundle.writeSource(values, version: name, in: url)
            case "xcdatamodel":
                try ModelBundle(name: name, versions: [.init(name: name, model: values)], currentVersionName: name)
                    .writeSource(to: url)
            case "momd":
                try ModelBundle(name: name, versions: [.init(name: name, model: values)], currentVersionName: name)
                    .writeCompiled(to: url, parser: FormatTextParser())
                return []
            case "mom":
                try values.archive(parser: FormatTextParser()).write(to: url, options: .atomic)
                return []
            case let other:
                throw ModelFormatError(
                    .unsupported, "a model cannot be written as .\(other)",
                    advice: "Use xcdatamodeld, xcdatamodel, momd or mom")
            }
        } catch let error as ModelFormatError {
            throw ModelFileError.unwritable(error, at: url)
        }
        return values.partsWithoutXMLForm().map { loss in
            [loss.entity, loss.property].compactMap { $0 }.joined(separator: ".") + ": " + loss.message
        }
    }
}
