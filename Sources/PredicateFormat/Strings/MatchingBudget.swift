import Foundation

/// The step limit for the regular expressions of one fetch, over all rows it reads.
///
/// Each match is limited separately, but a fetch matches many rows. Steps linear in the length of the text are not counted: the
/// budget limits expressions that need more, such as `(a+)+b`.
///
/// Not thread-safe: used by the fetching thread only.
public final class MatchingBudget: @unchecked Sendable {
    // Unchecked: used by one fetch on one thread.
    private var rest: Int

    /// Creates a budget of `reports` times ten thousand steps; by default some 40 million steps, a second or two.
    public init(reports: Int = 4000) { rest = reports }

    /// The budget of the current task or thread, if any.
    static var current: MatchingBudget? { scope }

    @TaskLocal private static var scope: MatchingBudget?

    /// Runs `body` with one budget for everything that it evaluates.
    public static func shared<Result>(by body: () throws -> Result) rethrows -> Result {
        try $scope.withValue(MatchingBudget(), operation: body)
    }

    /// Deducts the steps of one match from the budget.
    ///
    /// - Parameters:
    ///   - reports: the steps, in units of ten thousand.
    ///   - length: the UTF-16 units of the text; ten steps for each are free.
    /// - Returns: false if the budget is exhausted.
    func spend(_ reports: Int, on length: Int) -> Bool {
        rest -= max(0, reports - length / 1000)
        return rest >= 0
    }
}
