import Foundation

extension ModelBundle {
    /// Reads every version of a `.momd`.
    init(compiledAt url: URL) throws(ModelFormatError) {
        let files = try FileAccess.contents(of: url).filter { $0.pathExtension == "mom" }
        var versions: [Version] = []
        for file in files { versions.append(try Self.compiledVersion(file)) }
        versions.sort { Self.numericallyPrecedes($0.name, $1.name) }
        let current = try Self.currentCompiledVersion(
            url, path: FileAccess.path(of: url), among: versions.map(\.name))
        self.init(
            name: url.deletingPathExtension().lastPathComponent, versions: versions, currentVersionName: current)
    }

    static func compiledVersion(_ file: URL) throws(ModelFormatError) -> Version {
        var version = Version(
            name: file.deletingPathExtension().lastPathComponent, model: try compiledModel(atPath: file.path))
        version.file = file.path
        return version
    }

    static func compiledModel(atPath path: String) throws(ModelFormatError) -> Model {
        let bytes = try FileAccess.bytes(atPath: path)
        do throws(ModelFormatError) {
            return try Model(archive: bytes)
        } catch {
            throw error.inFile(path)
        }
    }

    /// The current version's name: what `VersionInfo.plist` says, else the only version, else the one named like the
    /// bundle, else the last by number.
    static func currentCompiledVersion(
        _ url: URL, path: String, among names: [String]
    ) throws(ModelFormatError) -> String {
        guard !names.isEmpty else {
            throw ModelFormatError(.missingValue, "the bundle holds no .mom", file: path)
        }
        let file = path + "/VersionInfo.plist"
        if FileAccess.isFolder(file) != nil {
            let info: PropertyListTable
            do throws(ModelFormatError) {
                info = try PropertyListTable(try FileAccess.bytes(atPath: file))
                try info.checkNesting(info.top)
            } catch {
                throw error.inFile(file)
            }
            if let named = VersionInfo.currentVersion(info) {
                guard names.contains(named) else {
                    throw ModelFormatError(
                        .unknownName, "the current version \(named) is not in the bundle", file: file)
                }
                return named
            }
        }
        if names.count == 1 { return names[0] }
        let bundleName = url.deletingPathExtension().lastPathComponent
        return names.contains(bundleName) ? bundleName : names[names.count - 1]
    }

    /// Writes the bundle compiled: a folder with one `.mom` per version and `VersionInfo.plist`.
    ///
    /// What is there already is replaced as a whole; on failure it stays as it was.
    ///
    /// - Parameters:
    ///   - url: the `.momd` folder to make.
    ///   - parser: as in ``Model/archive(parser:)``.
    /// - Throws: ``ModelFormatError`` naming the version's file, and errors of writing.
    public func writeCompiled(to url: URL, parser: (any PredicateTextParser)? = nil) throws {
        var files: [(name: String, data: Data)] = []
        var hashes: [String: PropertyListNode] = [:]
        var checksums: [String: PropertyListNode] = [:]
        for version in versions {
            do throws(ModelFormatError) {
                if let problem = version.model.problems(lines: version.lines, file: version.file).first {
                    throw problem
                }
                files.append((version.name + ".mom", try version.model.archive(parser: parser)))
                let entityHashes = try version.model.versionHashes()
                hashes[version.name] = .dictionary(entityHashes.mapValues { .data($0) })
                checksums[version.name] = .string(Model.versionChecksum(entityHashes))
            } catch {
                var error = error
                if error.line == nil { error.line = version.lines[error.entity, error.property] }
                throw version.file.map(error.inFile) ?? error
            }
        }
        let info = PropertyListNode.dictionary([
            VersionInfo.current: .string(currentVersionName), VersionInfo.hashes: .dictionary(hashes),
            VersionInfo.checksums: .dictionary(checksums),
        ])
        files.append(("VersionInfo.plist", BinaryPropertyListWriter.write(info)))
        try FileAccess.replaceFolder(at: url, with: files)
    }
}

/// The keys of `VersionInfo.plist`.
enum VersionInfo {
    static let current = "NSManagedObjectModel_CurrentVersionName"
    static let hashes = "NSManagedObjectModel_VersionHashes"
    static let checksums = "NSManagedObjectModel_VersionChecksums"

    /// The name of the current version: what the list says it is, else the only version it has hashes of.
    static func currentVersion(_ list: PropertyListTable) -> String? {
        if let name = list.value(current, in: list.top).flatMap(list.string) { return name }
        let listed = list.value(hashes, in: list.top).flatMap { list.node($0).dictionary }?.keys
        return listed?.count == 1 ? listed?.first : nil
    }
}
