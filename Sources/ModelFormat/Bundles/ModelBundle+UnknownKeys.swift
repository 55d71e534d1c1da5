import Foundation

extension ModelBundle.Version {
    /// What the version's compiled file or store says that is unknown here; see ``Model/unknownKeys(inArchive:)``. Empty for
    /// other forms, which keep what they do not know.
    public func unknownKeys() -> [String] {
        if let cacheContent { return (try? Model.unknownKeys(inCacheContent: cacheContent)) ?? [] }
        guard let file, file.hasSuffix(".mom"), let data = try? FileAccess.data(at: URL(fileURLWithPath: file)) else {
            return []
        }
        return (try? Model.unknownKeys(inArchive: data)) ?? []
    }
}

extension MappingModel {
    /// What the compiled mapping model at a path says that is unknown here. Empty if it cannot be read.
    package static func unknownKeys(at url: URL) -> [String] {
        guard let data = try? FileAccess.data(at: url) else { return [] }
        return (try? unknownKeys(inArchive: data)) ?? []
    }
}
