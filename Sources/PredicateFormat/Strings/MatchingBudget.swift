import Foundation

/// The steps that the regular expressions of one fetch may take, over all rows it looks at.
///
/// Each match is bounded by itself, but a fetch matches many rows. What grows with the length of the text is not counted:
/// a budget is for expressions whose steps grow faster, such as `(a+)+b`.
///
/// Threads: a budget is for the thread that fetches.
public final class MatchingBudget: @unchecked Sendable {
    // Unchecked: one fetch, on one thread, spends it.
    private var rest: Int

    /// A budget of `reports` times ten thousand steps; without a number some 40 million steps, a second or two.
    public init(reports: Int = 4000) { rest = reports }

    /// The budget of what runs on this thread at present, if it has one.
    static var current: MatchingBudget? { scope }

    @TaskLocal private static var scope: MatchingBudget?

    /// Gives everything that `body` evaluates one budget.
    public static func shared<Result>(by body: () throws -> Result) rethrows -> Result {
        try $scope.withValue(MatchingBudget(), operation: body)
    }

    /// Takes the steps of one match off the budget.
    ///
    /// - Parameters:
    ///   - reports: the steps, in units of ten thousand.
    ///   - length: the UTF-16 units of the text; ten steps for each are free.
    /// - Returns: false when the budget is used up.
    func spend(_ reports: Int, on length: Int) -> Bool {
        rest -= max(0, reports - length / 1000)
        return rest >= 0
    }
}
