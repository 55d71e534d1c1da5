import Testing

/// Lets only one test at a time work with MagicalRecord's default stack, which all tests of a process share: also those
/// of other suites and targets.
public struct DefaultStackTurn: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? self : nil
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        #if !canImport(Darwin) && compiler(>=6.2)
        // Tests that run one at a time shall not wait behind all others at each step.
        withUnsafeCurrentTask { $0?.escalatePriority(to: .high) }
        #endif
        // Suites have no body of their own.
        guard testCase != nil else { return try await function() }
        await Line.shared.wait()
        do {
            try await function()
        } catch {
            await Line.shared.leave()
            throw error
        }
        await Line.shared.leave()
    }

    private actor Line {
        static let shared = Line()

        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func wait() async {
            guard isTaken else {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func leave() {
            if waiting.isEmpty {
                isTaken = false
            } else {
                waiting.removeFirst().resume()
            }
        }
    }
}

extension Trait where Self == DefaultStackTurn {
    /// The test uses MagicalRecord's default stack, by itself.
    public static var defaultStack: Self { DefaultStackTurn() }
}
