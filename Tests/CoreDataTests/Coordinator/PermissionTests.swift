import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Stores and folders that this process may not read or write. Codes: 256 for a store that may not be opened and 512 for one that
/// may not be created, as in public logs of Apple's framework ("Failed to access file: 1", "Failed to create file; code = 1");
/// the underlying error has Foundation's code for missing permissions, and the system's.
@Suite("Files that may not be accessed")
struct PermissionTests {
    private let model = Versions.first()

    private func filled() throws -> MigrationStore {
        let store = try MigrationStore()
        try store.open(model) { Versions.fill($0) }
        return store
    }

    private func set(_ permissions: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }

    /// - Parameter chain: The codes of an error and those behind it.
    private func check(
        _ error: NSError, _ chain: [Int], _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var codes: [Int] = []
        var next: NSError? = error
        while let current = next {
            codes.append(current.code)
            next = current.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        #expect(codes == chain, "\(error)", sourceLocation: sourceLocation)
        for word in words {
            #expect("\(error.userInfo)".contains(word), "\(word): \(error)", sourceLocation: sourceLocation)
        }
    }

    @Test func aFileThatMayNotBeRead() throws {
        let store = try filled()
        try set(0o000, store.url)
        let words = ["this process may not read it", "Give this process the permission", "Permission denied"]
        for options in [nil, [NSReadOnlyPersistentStoreOption: true]] as [[AnyHashable: Any]?] {
            let error = try expectRefusal(of: store, NSFileReadUnknownError, [store.url.path]) {
                try withoutPrivileges { try store.open(model, options: options) { _ in } }
            }
            check(error, [NSFileReadUnknownError, NSFileReadNoPermissionError, Int(EACCES)], words)
        }
        let other = try TemporaryFolder()
        try set(0o777, other.url)
        let error = try expectRefusal(of: store, NSMigrationManagerSourceStoreError, [store.url.path]) {
            try withoutPrivileges {
                let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
                try NSMigrationManager(sourceModel: model, destinationModel: model).migrateStore(
                    from: store.url, type: .sqlite, mapping: mapping, to: other.file("New.sqlite"), type: .sqlite)
            }
        }
        check(
            error,
            [NSMigrationManagerSourceStoreError, NSFileReadUnknownError, NSFileReadNoPermissionError, Int(EACCES)],
            words)
    }

    @Test func aFolderThatMayNotBeSearched() throws {
        let store = try filled()
        try set(0o000, store.folder.url)
        defer { try? set(0o755, store.folder.url) }
        for options in [nil, [NSReadOnlyPersistentStoreOption: true]] as [[AnyHashable: Any]?] {
            let error = #expect(throws: NSError.self) {
                try withoutPrivileges { try store.open(model, options: options) { _ in } }
            }
            check(
                try #require(error), [NSFileReadUnknownError, NSFileReadNoPermissionError, Int(EACCES)],
                ["search the folder \(store.folder.url.path)", "this process may not read it"])
        }
    }

    @Test(arguments: ["New.sqlite", "below/New.sqlite"])
    func aFolderThatMayNotBeWritten(_ name: String) throws {
        let folder = try MigrationStore()
        try set(0o555, folder.folder.url)
        defer { try? set(0o755, folder.folder.url) }
        let url = folder.folder.file(name)
        func add(_ type: String) throws {
            try withoutPrivileges {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            }
        }
        let created = try expectRefusal(of: folder, NSFileWriteUnknownError, ["could not be created"]) {
            try add(NSSQLiteStoreType)
        }
        check(
            created, [NSFileWriteUnknownError, NSFileWriteNoPermissionError, Int(EACCES)],
            ["Permission denied", "permission to write to", url.deletingLastPathComponent().path])
        let written = try expectRefusal(of: folder, NSPersistentStoreSaveError, ["may write to the folder"]) {
            try add(NSBinaryStoreType)
        }
        #expect((written.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSFileWriteNoPermissionError)
    }
}
