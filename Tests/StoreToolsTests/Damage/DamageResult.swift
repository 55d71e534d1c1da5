import Foundation

/// What became of one damaged store.
struct DamageResult: Sendable {
    let shape: String
    let kind: String
    let seed: UInt64
    /// The rows before the damage.
    var live = 0
    /// Of these, with their values: in the output of `.recover`, and in the rescued store.
    var recovered = 0
    var rescued = 0
    /// Of the rows that `.recover` finds: those in the rescued store, under the right entity, with the right values.
    var found = 0
    var entity = 0
    var values = 0
    /// The relations of the rows that `.recover` finds, to rows that exist; those that are right.
    var expectedRelations = 0
    var relations = 0
    /// The rows of the rescued store that were not there before.
    var extra = 0
    var findings: [String] = []
    /// The findings in the rescued store that no rescue can mend, and the report names.
    var remaining: [String] = []
    var condition = ""
    var isModelGiven = false
    var seconds = 0.0
    /// What is not as it must be.
    var problems: [String] = []

    static let heading = [
        "shape", "damage", "seed", "live", "recover", "rescue", "found", "entity", "values", "relations", "extra",
        "model",
        "s", "condition", "findings", "remaining", "problems",
    ]

    var columns: [String] {
        [
            shape, kind, "\(seed)", "\(live)", "\(recovered)", "\(rescued)", "\(found)", "\(entity)", "\(values)",
            "\(relations)/\(expectedRelations)", "\(extra)", isModelGiven ? "given" : "",
            String(format: "%.2f", seconds),
            condition, findings.joined(separator: " "), remaining.joined(separator: " "),
            problems.joined(separator: " | "),
        ]
    }

    /// Returns a table with aligned columns.
    static func table(_ results: [DamageResult]) -> String {
        let lines = [heading] + results.map(\.columns)
        let widths = heading.indices.map { column in min(40, lines.map { $0[column].count }.max() ?? 0) }
        return lines.map { line in
            zip(line, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(separator: "  ")
                .replacingOccurrences(of: " +$", with: "", options: .regularExpression)
        }.joined(separator: "\n")
    }
}
