import Foundation

extension ModelBundle {
    /// Reads every version of a `.momd`.
    init(compiledAt url: URL) throws(ModelFormatError) {
        let files = try FileAccess.contents(of: url).filter { $0.pathExtension == "mom" }
        var versions: [Version] = []
        for file in files { versions.append(try Self.compiledVersion(file)) }
        versions.sort { Self.numericallyPrecedes($0.name, $1.name) }
        let path = FileAccess.path(of: url)
        let current = try Self.currentCompiledVersion(
            url, path: path, among: versions.map(\.name), try Self.versionInfo(inFolder: path))
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
        try model(archived: try FileAccess.bytes(atPath: path), path: path)
    }

    /// Reads the model of the current version, with its version hashes if the bundle has them for that file.
    static func currentModel(_ url: URL, path: String) throws(ModelFormatError) -> HashedModel {
        let info = try versionInfo(inFolder: path)
        // Usually the version list names an existing file, and the folder need not be listed.
        if let info, let named = VersionInfo.currentVersion(info), !named.utf8.contains(UInt8(ascii: "/")),
            let model = try version(named, path: path, info)
        {
            return model
        }
        let names = try FileAccess.names(inFolder: path, endingIn: [".mom"])
            .map { String(decoding: $0.utf8.dropLast(4), as: UTF8.self) }
            .sorted(by: numericallyPrecedes)
        let name = try currentCompiledVersion(url, path: path, among: names, info)
        guard let model = try version(name, path: path, info) else {
            throw ModelFormatError(.unreadable, "there is no such file", file: path + "/" + name + ".mom")
        }
        return model
    }

    /// Reads the model of one version, with its hashes if the list has them; returns nil if its file is missing.
    private static func version(
        _ name: String, path: String, _ info: PropertyListTable?
    ) throws(ModelFormatError) -> HashedModel? {
        let file = path + "/" + name + ".mom"
        guard let bytes = try FileAccess.bytesIfPresent(atPath: file) else { return nil }
        let model = try model(archived: bytes, path: file)
        return HashedModel(model, info.flatMap { VersionInfo.hashes($0, version: name, of: bytes) })
    }

    private static func model(archived bytes: [UInt8], path: String) throws(ModelFormatError) -> Model {
        do throws(ModelFormatError) {
            return try Model(archive: bytes)
        } catch {
            throw error.inFile(path)
        }
    }

    /// Reads `VersionInfo.plist`; returns nil if it is missing.
    private static func versionInfo(inFolder path: String) throws(ModelFormatError) -> PropertyListTable? {
        let file = path + "/VersionInfo.plist"
        guard let bytes = try FileAccess.bytesIfPresent(atPath: file) else { return nil }
        do throws(ModelFormatError) {
            let info = try PropertyListTable(bytes)
            try info.checkNesting(info.top)
            return info
        } catch {
            throw error.inFile(file)
        }
    }

    /// Returns the name of the current version: the one in `VersionInfo.plist`, or else the only version, or the one named like
    /// the bundle, or the last in numeric order.
    private static func currentCompiledVersion(
        _ url: URL, path: String, among names: [String], _ info: PropertyListTable?
    ) throws(ModelFormatError) -> String {
        guard !names.isEmpty else {
            throw ModelFormatError(.missingValue, "the bundle holds no .mom", file: path)
        }
        if let named = info.flatMap(VersionInfo.currentVersion) {
            guard names.contains(named) else {
                throw ModelFormatError(
                    .unknownName, "the current version \(named) is not in the bundle",
                    file: path + "/VersionInfo.plist")
            }
            return named
        }
        if names.count == 1 { return names[0] }
        let bundleName = url.deletingPathExtension().lastPathComponent
        return names.contains(bundleName) ? bundleName : names[names.count - 1]
    }

    /// Writes the compiled bundle: a folder with one `.mom` per version and `VersionInfo.plist`.
    ///
    /// An existing folder is replaced as a whole; if writing fails, it is unchanged.
    ///
    /// - Parameters:
    ///   - url: the `.momd` folder to create.
    ///   - parser: as in ``Model/archive(parser:)``.
    /// - Throws: ``ModelFormatError`` with the file of the version, or the error of writing.
    public func writeCompiled(to url: URL, parser: (any PredicateTextParser)? = nil) throws {
        var files: [(name: String, data: Data)] = []
        var hashes: [String: PropertyListNode] = [:]
        var checksums: [String: PropertyListNode] = [:]
        var archives: [String: PropertyListNode] = [:]
        for version in versions {
            do throws(ModelFormatError) {
                if let problem = version.model.problems(lines: version.lines, file: version.file).first {
                    throw problem
                }
                let archive = try version.model.archive(parser: parser)
                files.append((version.name + ".mom", archive))
                archives[version.name] = .integer(ArchiveChecksum.of(archive.bytes))
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
            VersionInfo.checksums: .dictionary(checksums), VersionInfo.archives: .dictionary(archives),
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
    /// Specific to this module: the ``ArchiveChecksum`` of each version's file, which verifies that the hashes belong to it.
    static let archives = "MagicalRecord_ArchiveChecksums"

    /// Returns the name of the current version: the one in the list, or else the only version with hashes.
    static func currentVersion(_ list: PropertyListTable) -> String? {
        if let name = list.value(current, in: list.top).flatMap(list.string) { return name }
        let listed = list.value(hashes, in: list.top).flatMap { list.node($0).dictionary }?.keys
        return listed?.count == 1 ? listed?.first : nil
    }

    /// Returns the version hashes of a version with these file contents; nil if the list has none, or has those of another
    /// file.
    static func hashes(_ list: PropertyListTable, version: String, of archive: [UInt8]) -> EntityHashes? {
        guard let checksum = list.value(archives, in: list.top).flatMap({ list.value(version, in: $0) }),
            list.integer(checksum) == ArchiveChecksum.of(archive)
        else { return nil }
        return list.value(hashes, in: list.top).flatMap { list.value(version, in: $0) }
            .flatMap { EntityHashes($0, in: list) }
    }
}
