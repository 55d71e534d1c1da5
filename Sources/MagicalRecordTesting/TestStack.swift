import Foundation
import MagicalRecord

/// Runs a test's body with an empty stack of its own, which is also the default stack there, and removes it afterwards.
///
/// ```swift
/// @Test func friendsAreFound() async throws {
///     try await withTestStack(.named("Model", in: .module)) { stack in
///         try await stack.save { context in try User.sample(in: context) { $0.isFriend = true } }
///         let count = try await stack.read { context in try User.count(where: \.isFriend == true, in: context) }
///         #expect(count == 1)
///     }
/// }
/// ```
/// The store is a SQLite file that lies in memory where the system has a folder there, so constraints and derived attributes
/// work as in the program, and other processes and the `sqlite3` shell can look at it. Tests may run side by side: what a
/// body calls sees its own stack as the default one (see `MagicalRecord.withDefaultStack` for
/// which tasks that are).
///
/// - Parameters:
///   - model: where the model comes from; by default all models of the main bundle.
///   - shape: how the contexts hang together, as in `MagicalRecord.setUp`.
///   - mergePolicy: what becomes of conflicts, as there.
///   - isolation: the actor on which `body` runs, the caller's.
///   - body: the test.
/// - Throws: What `body` throws; else the error for a model that is not found, a store that cannot be made or removed.
public func withTestStack<Value>(
    _ model: MagicalRecord.ModelSource = .merged, shape: MagicalRecord.Shape = .rootSaving,
    mergePolicy: NSMergePolicy = .error, isolation: isolated (any Actor)? = #isolation,
    _ body: (MagicalRecord.Stack) async throws -> Value
) async throws -> Value {
    let folder = try TestFolder()
    defer { folder.remove() }
    let store = MagicalRecord.Store.sqlite(
        at: folder.url.appendingPathComponent("Test.sqlite"),
        options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
    let stack = try MagicalRecord.Stack([store], shape: shape, model: model, mergePolicy: mergePolicy)
    let value: Value
    do {
        value = try await MagicalRecord.withDefaultStack(stack, isolation: isolation) { try await body(stack) }
    } catch {
        try? await stack.tearDown()
        throw error
    }
    try await stack.tearDown()
    return value
}

/// A new folder for one stack.
struct TestFolder {
    let url: URL

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let files = FileManager.default
        let parent = files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory
        url = parent.appendingPathComponent("MagicalRecordTesting-\(UUID().uuidString)", isDirectory: true)
        try files.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
