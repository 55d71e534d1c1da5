import Testing

/// Lets only one test at a time work with MagicalRecord's default stack, which all tests of a process share: also those
/// of other suites and targets.
public struct DefaultStackTurn: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
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
