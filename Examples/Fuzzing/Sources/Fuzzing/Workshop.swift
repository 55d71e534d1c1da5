import CoreData
import ModelFormat

/// A folder in `/dev/shm` for inputs that can be read from files only, removed at exit.
enum Workshop {
    static let folder: URL = {
        let folder = URL(fileURLWithPath: "/dev/shm/Fuzzing-\(ProcessInfo.processInfo.processIdentifier)")
        try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: Workshop.folder) }
        return folder
    }()

    /// Returns the model of an `.xcdatamodel` document.
    static func model(of xml: String) -> NSManagedObjectModel {
        let url = folder.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try! Data(xml).write(to: url.appendingPathComponent("contents"))
        return NSManagedObjectModel(contentsOf: url)!
    }
}
