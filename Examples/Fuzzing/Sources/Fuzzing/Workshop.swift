import CoreData
import ModelFormat

/// A folder in memory for what is read from files only.
enum Workshop {
    static let folder: URL = {
        let folder = URL(fileURLWithPath: "/dev/shm/Fuzzing-\(ProcessInfo.processInfo.processIdentifier)")
        try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: Workshop.folder) }
        return folder
    }()

    /// The model that an editor's document describes.
    static func model(of xml: String) -> NSManagedObjectModel {
        let url = folder.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try! Data(xml).write(to: url.appendingPathComponent("contents"))
        return NSManagedObjectModel(contentsOf: url)!
    }
}
