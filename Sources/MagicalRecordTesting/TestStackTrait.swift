import MagicalRecord
import Testing

/// Gives every test of a suite, or one test, an empty stack of its own as the default stack.
///
/// ```swift
/// @Suite(.testStack(.named("Model", in: .module))) struct FriendTests {
///     @Test func newUsersAreStrangers() async throws {
///         try await MagicalRecord.save { context in try User.sample(in: context) }
///         let isFriend = try await MagicalRecord.read { context in try User.findFirst(in: context)?.isFriend }
///         #expect(isFriend == false)
///     }
/// }
/// ```
/// The stack is made before the test and removed after it, as by ``withTestStack(_:shape:mergePolicy:isolation:_:)``. Each case
/// of a test with arguments has its own. The suite's `init` and `deinit` run within it.
public struct TestStackTrait: SuiteTrait, TestTrait, TestScoping {
    let model: MagicalRecord.ModelSource
    let shape: MagicalRecord.Shape
    let mergePolicy: NSMergePolicy

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Suites have no body of their own.
        guard testCase != nil else { return try await function() }
        try await withTestStack(model, shape: shape, mergePolicy: mergePolicy) { _ in try await function() }
    }
}

extension Trait where Self == TestStackTrait {
    /// An empty stack for each test, with all models of the main bundle.
    public static var testStack: Self { .testStack() }

    /// An empty stack for each test.
    ///
    /// - Parameters:
    ///   - model: where the model comes from; by default all models of the main bundle.
    ///   - shape: how the contexts hang together.
    ///   - mergePolicy: what becomes of conflicts.
    public static func testStack(
        _ model: MagicalRecord.ModelSource = .merged, shape: MagicalRecord.Shape = .rootSaving,
        mergePolicy: NSMergePolicy = .error
    ) -> Self {
        TestStackTrait(model: model, shape: shape, mergePolicy: mergePolicy)
    }
}
