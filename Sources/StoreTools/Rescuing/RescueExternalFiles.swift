import Foundation

/// Copies the files of external values into the new store's folder.
final class RescueExternalFiles {
    private let from: URL
    private let to: URL
    private var results: [String: Bool] = [:]
    private var isMade = false
    private let copies: Bool

    init(_ operation: RescueOperation) {
        from = RescueDestination.externalData(of: operation.rescue.url.resolvingSymlinksInPath())
        to = RescueDestination.externalData(of: operation.target.temporary)
        copies = operation.rescue.copiesExternalFiles
    }

    /// Copies a file to which a row refers; returns false if it is missing or not a regular file.
    func take(_ name: String) throws -> Bool {
        if let result = results[name] { return result }
        let file = from.appendingPathComponent(name)
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            results[name] = false
            return false
        }
        guard copies else {
            results[name] = true
            return true
        }
        do {
            if !isMade {
                try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
                isMade = true
            }
            try FileManager.default.copyItem(at: file, to: to.appendingPathComponent(name))
        } catch {
            guard FileManager.default.isReadableFile(atPath: file.path) else {
                throw StoreToolError(
                    .failed, "The external file \(name) cannot be read.",
                    advice: "Give the process the permission to read it.", url: file,
                    underlying: error.localizedDescription)
            }
            throw RescueFailure.writing(
                RescueFailure.systemError(error), to.appendingPathComponent(name), error.localizedDescription)
        }
        results[name] = true
        return true
    }

    /// Returns the files to which no row refers, sorted.
    func orphans() -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: from.path)) ?? []
        return names.filter { results[$0] == nil && UUID(uuidString: $0) != nil }.sorted()
            .map { from.appendingPathComponent($0) }
    }
}
