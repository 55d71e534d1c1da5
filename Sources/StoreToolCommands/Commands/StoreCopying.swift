import CoreData
import Foundation
import MagicalRecord
import StoreTools

/// Copies a store into a folder beside its destination, from where it is moved there when it is complete.
struct StoreCopying {
    let source: StoreFile
    let destination: StoreFile
    /// The file to read: the source, or a copy of it.
    let opened: URL
    let model: NSManagedObjectModel
    let console: Console

    /// Copies the store, and returns the number of copied objects of each entity.
    ///
    /// - Throws: ``Interrupted``, with everything as it was.
    func run() throws -> [(String, Int)] {
        guard destination.url.isFileURL else {
            try copy(to: destination.url)
            return try count(at: destination.url)
        }
        let files = FileManager.default
        let folder = destination.url.deletingLastPathComponent()
        let isNew = !files.fileExists(atPath: folder.path)
        let place = folder.appendingPathComponent(".storetool-\(UUID().uuidString)")
        let copy = place.appendingPathComponent(destination.url.lastPathComponent)
        do {
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            try copyInterruptibly(to: copy)
            let counts = try count(at: copy)
            try console.checkInterruption()
            // The file of the store comes last.
            let names = try files.contentsOfDirectory(atPath: place.path).filter { $0 != copy.lastPathComponent }
            for name in names + [copy.lastPathComponent] {
                try files.moveItem(at: place.appendingPathComponent(name), to: folder.appendingPathComponent(name))
            }
            try? files.removeItem(at: place)
            return counts
        } catch {
            // An interrupted copy may still be writing.
            for _ in 0..<100 where files.fileExists(atPath: place.path) { try? files.removeItem(at: place) }
            if isNew { try? files.removeItem(at: folder) }
            throw error
        }
    }

    /// Copies on another thread, which an interruption leaves behind: the process ends then.
    private func copyInterruptibly(to url: URL) throws {
        let result = Outcome()
        nonisolated(unsafe) let copying = self
        let thread = Thread { result.set(Result { try copying.copy(to: url) }) }
        thread.stackSize = 16 << 20
        thread.start()
        let total = Double(max(1, Self.size(opened)))
        while !result.wait(milliseconds: 50) {
            try console.checkInterruption()
            console.progressLine?.show("Copying", min(0.99, Double(Self.size(url)) / total))
        }
        console.progressLine?.clear()
        try result.get()
    }

    private static func size(_ url: URL) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func copy(to url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: source.type, configurationName: nil, at: opened, options: [NSReadOnlyPersistentStoreOption: true])
        let copy: NSPersistentStore
        do {
            copy = try coordinator.migratePersistentStore(store, to: url, options: nil, withType: destination.type)
        } catch let error as NSError
            where error.code == NSPersistentStoreIncompatibleSchemaError && destination.type != NSSQLiteStoreType
        {
            let reason = error.localizedFailureReason.map { " " + $0 } ?? ""
            throw StoreToolError(
                .destination, "A store of type \(destination.type) cannot hold objects of this model.\(reason)",
                advice: "Copy it to an SQLite store, or export the objects: “storetool export”.", url: destination.url)
        }
        try coordinator.remove(copy)
    }

    private func count(at url: URL) throws -> [(String, Int)] {
        try MigrationCensus(url: url, type: destination.type, model: model, options: [:]).open { context in
            try model.entities.filter { !$0.isAbstract }.compactMap(\.name).sorted().map { name in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                return (name, try context.count(for: request))
            }
        }
    }
}

/// The result of work on another thread.
private final class Outcome: @unchecked Sendable {
    private let condition = NSCondition()
    private var result: Result<Void, any Error>?

    func set(_ result: Result<Void, any Error>) {
        condition.lock()
        self.result = result
        condition.signal()
        condition.unlock()
    }

    /// Waits for the result, and returns whether it is there.
    func wait(milliseconds: Int) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if result == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: Double(milliseconds) / 1000)) }
        return result != nil
    }

    func get() throws {
        condition.lock()
        defer { condition.unlock() }
        try result?.get()
    }
}
