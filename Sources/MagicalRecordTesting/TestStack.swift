import Foundation
import MagicalRecord

/// Runs a test's body with a new, empty stack, which is also the default stack inside it, and removes the stack afterwards.
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
/// The store is a SQLite file, in a memory file system where there is one, so constraints and derived attributes work as in the
/// program, and other processes and the `sqlite3` shell can read it. Tests may run concurrently: inside a body the default
/// stack is its own (see `MagicalRecord.withDefaultStack` for the tasks to which this applies).
///
/// - Parameters:
///   - model: the source of the model; by default all models of the main bundle.
///   - shape: the hierarchy of contexts, as in `MagicalRecord.setUp`.
///   - mergePolicy: the resolution of conflicts, as in `MagicalRecord.setUp`.
///   - isolation: the actor on which `body` runs, the caller's.
///   - body: the test.
/// - Returns: the result of `body`.
/// - Throws: the error of `body`, or else the error for a missing model, or for a store that cannot be created or removed.
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

/// A new folder for one stack, or the copy of one store.
struct TestFolder {
    let url: URL

    /// Creates a folder in another one, by default in a memory file system where there is one.
    init(in place: URL? = nil) throws {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let files = FileManager.default
        let parent = place ?? (files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory)
        url = parent.appendingPathComponent("MagicalRecordTesting-\(UUID().uuidString)", isDirectory: true)
        try files.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
