import MagicalRecord
import Testing

/// Runs every test of a suite, or one test, with a new, empty stack as the default stack.
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
/// The stack is created before the test and removed after it, as by ``withTestStack(_:shape:mergePolicy:isolation:_:)``. Each
/// case of a parameterized test has a separate stack. The suite's `init` and `deinit` run inside it.
public struct TestStackTrait: SuiteTrait, TestTrait, TestScoping {
    let model: MagicalRecord.ModelSource
    let shape: MagicalRecord.Shape
    let mergePolicy: NSMergePolicy

    /// True: each test of a suite has a separate stack.
    public var isRecursive: Bool { true }

    /// Runs a test case with a new stack. Suites are run without one.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Suites have no body.
        guard testCase != nil else { return try await function() }
        try await withTestStack(model, shape: shape, mergePolicy: mergePolicy) { _ in try await function() }
    }
}

extension Trait where Self == TestStackTrait {
    /// The trait that runs each test with an empty stack, with all models of the main bundle.
    public static var testStack: Self { .testStack() }

    /// Returns the trait that runs each test with an empty stack.
    ///
    /// - Parameters:
    ///   - model: the source of the model; by default all models of the main bundle.
    ///   - shape: the hierarchy of contexts.
    ///   - mergePolicy: the resolution of conflicts.
    public static func testStack(
        _ model: MagicalRecord.ModelSource = .merged, shape: MagicalRecord.Shape = .rootSaving,
        mergePolicy: NSMergePolicy = .error
    ) -> Self {
        TestStackTrait(model: model, shape: shape, mergePolicy: mergePolicy)
    }
}
