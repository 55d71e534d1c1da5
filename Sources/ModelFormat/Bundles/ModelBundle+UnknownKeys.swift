import Foundation

extension ModelBundle.Version {
    /// What the version's compiled file says that is unknown here; see ``Model/unknownKeys(inArchive:)``. Empty for other
    /// forms, which keep what they do not know.
    public func unknownKeys() -> [String] {
        guard let file, file.hasSuffix(".mom"), let data = try? FileAccess.data(at: URL(fileURLWithPath: file)) else {
            return []
        }
        return (try? Model.unknownKeys(inArchive: data)) ?? []
    }
}
