import Foundation

extension ModelBundle.Version {
    /// Returns the unknown keys in the version's compiled file or store; see ``Model/unknownKeys(inArchive:)``. Empty for other
    /// formats, which preserve unknown parts.
    public func unknownKeys() -> [String] {
        if let cacheContent { return (try? Model.unknownKeys(inCacheContent: cacheContent)) ?? [] }
        guard let file, file.hasSuffix(".mom"), let data = try? FileAccess.data(at: URL(fileURLWithPath: file)) else {
            return []
        }
        return (try? Model.unknownKeys(inArchive: data)) ?? []
    }
}
