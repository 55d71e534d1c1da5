import MagicalRecord

/// A directory of its own, removed when the test lets go of it.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
            .appendingPathComponent("MagicalRecordTests-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// Files that need no cleaning up by the test that uses them: all lie in one directory, which goes when the tests end.
enum ScratchFiles {
    private static let directory: URL = {
        let url = URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
            .appendingPathComponent(
                "MagicalRecordTests-\(ProcessInfo.processInfo.processIdentifier)", isDirectory: true)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: ScratchFiles.directory) }
        return url
    }()

    /// A place for a file nobody else uses.
    static func new(_ name: String) -> URL {
        let folder = directory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(name)
    }
}

extension NSManagedObjectContext {
    /// Waits until everything that is in line for the context's queue has run: merges in particular.
    func settle() async {
        await perform(schedule: .enqueued) {}
    }
}

extension MagicalRecord.Stack {
    /// As ``newContext(named:)``, but on the main queue.
    func newMainQueueContext() -> NSManagedObjectContext {
        let like = newContext()
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        if let parent = like.parent {
            context.parent = parent
        } else {
            context.persistentStoreCoordinator = coordinator
        }
        context.mergePolicy = like.mergePolicy
        return context
    }
}
