import Foundation

extension ModelBundle {
    /// Reads every version of an `.xcdatamodeld`, or the single one of an `.xcdatamodel`.
    init(sourceAt url: URL) throws(ModelFormatError) {
        let name = url.deletingPathExtension().lastPathComponent
        if url.pathExtension == "xcdatamodel" {
            self.init(name: name, versions: [try Self.sourceVersion(url)], currentVersionName: name)
            return
        }
        let folders = try FileAccess.contents(of: url).filter { $0.pathExtension == "xcdatamodel" }
        guard !folders.isEmpty else {
            throw ModelFormatError(.missingValue, "the bundle holds no .xcdatamodel", file: url.path)
        }
        var versions: [Version] = []
        for folder in folders { versions.append(try Self.sourceVersion(folder)) }
        versions.sort { Self.numericallyPrecedes($0.name, $1.name) }
        let current = try Self.currentSourceVersion(url, among: versions.map(\.name))
        self.init(name: name, versions: versions, currentVersionName: current)
    }

    /// Returns the name of the current version, without reading any.
    package static func currentSourceVersion(_ url: URL, among names: [String]) throws(ModelFormatError) -> String {
        let note = url.appendingPathComponent(".xccurrentversion")
        if FileManager.default.fileExists(atPath: note.path) {
            let entries: PropertyListNode
            do throws(ModelFormatError) {
                entries = try PropertyList.read(try FileAccess.data(at: note))
            } catch {
                throw error.inFile(note.path)
            }
            if let folder = entries["_XCCurrentVersionName"]?.string {
                let name = folder.hasSuffix(".xcdatamodel") ? String(folder.dropLast(12)) : folder
                guard names.contains(name) else {
                    throw ModelFormatError(
                        .unknownName, "the current version \(folder) is not in the bundle", file: note.path,
                        advice: "Choose the current version in Xcode, or name one of: \(names.joined(separator: ", "))")
                }
                return name
            }
        }
        return names.min(by: literallyPrecedes) ?? ""
    }

    static func sourceVersion(_ folder: URL) throws(ModelFormatError) -> Version {
        let contents = folder.appendingPathComponent("contents")
        let elements = folder.appendingPathComponent("elements")
        if !FileManager.default.fileExists(atPath: contents.path), FileManager.default.fileExists(atPath: elements.path)
        {
            var version = Version(
                name: folder.deletingPathExtension().lastPathComponent, model: try elementsModel(elements))
            version.file = elements.path
            return version
        }
        let document = try ModelDocument(xml: try FileAccess.data(at: contents), file: contents.path)
        var version = Version(name: folder.deletingPathExtension().lastPathComponent, model: document.model)
        version.lines = document.lines
        version.file = document.file
        return version
    }

    private static func elementsModel(_ file: URL) throws(ModelFormatError) -> Model {
        let data = try FileAccess.data(at: file)
        do throws(ModelFormatError) {
            return try Model(elements: data)
        } catch {
            throw error.inFile(file.path)
        }
    }
}
