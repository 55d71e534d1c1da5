/// The expected contents of a report for a case.
struct ReportedCase {
    let item: Case
    /// The version hashes of the models, as computed by this program.
    let hashes: [String]

    /// Returns the differences in the reported values. Compares all values again instead of relying on the report's comparison.
    func differences(in reported: [Report.Item]) -> [String] {
        guard reported.count == 1 else { return ["the report has the case \(reported.count) times"] }
        var differences: [String] = []
        if let reason = reported[0].skipped { differences.append("the case was skipped: \(reason)") }
        let names = reported[0].stages.map(\.name)
        if names != StageName.allCases.map(\.rawValue) {
            differences.append("the report has the stages: \(names.joined(separator: ", "))")
        }
        for stage in reported[0].stages {
            differences += self.differences(in: stage).map { "report, \(stage.name): \($0)" }
        }
        return differences
    }

    private func differences(in stage: Report.Stage) -> [String] {
        guard let name = StageName(rawValue: stage.name) else { return ["an unknown stage"] }
        let computed = Differences.between(expected: lines(at: name), found: stage.values)
        // The report also contains differences between rows, which cannot be computed here.
        let others = stage.differences.filter { !computed.contains($0) }
        return (stage.error.map { [$0] } ?? []) + computed + others
    }

    private func lines(at stage: StageName) -> [String] {
        switch stage {
        case .modelInFile, .modelInCode: hashes
        case .asWritten, .own: item.filledLines
        case .edited: item.editedLines
        case .migrated: item.migratedLines
        }
    }
}
