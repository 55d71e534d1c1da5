import Foundation

/// Where compiled models may lie.
enum ModelSearch {
    /// The folders of the executable and of the main bundle's resources, without duplicates.
    static let foldersBesideProgram: [URL] = {
        var folders: [URL] = []
        for url in [
            Bundle.main.resourceURL, Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent(),
        ] {
            guard let url = url?.standardizedFileURL, !folders.contains(url) else { continue }
            folders.append(url)
        }
        return folders
    }()
}
