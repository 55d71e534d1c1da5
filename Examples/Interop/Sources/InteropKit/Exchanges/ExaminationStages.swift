import Foundation

/// The stages of one case of an examination.
@MainActor
struct ExaminationStages {
    let item: Case
    let exchange: Exchange

    /// Runs a stage. Later stages use the stores of earlier ones.
    func run(_ name: StageName) -> Report.Stage {
        var stage = Report.Stage(name: name.rawValue)
        do {
            switch name {
            case .modelInFile: try compareHashes(of: ModelPair(contentsOf: exchange.given(item).models), &stage)
            case .modelInCode: try compareHashes(of: ModelPair(of: item), &stage)
            case .asWritten: try openGiven(&stage)
            case .edited: try leave(.edited, &stage) { try $0.edit($1) }
            case .migrated:
                try exchange.made(item, .edited).copyStore(to: exchange.made(item, .migrated))
                try leave(.migrated, &stage) { try $0.migrate($1) }
            case .own:
                try exchange.made(item, .own).makeEmptyFolder()
                try leave(.own, &stage) { try $0.fill($1) }
            }
        } catch {
            stage.error = InteropError.text(of: error)
        }
        return stage
    }

    private func compareHashes(of models: ModelPair, _ stage: inout Report.Stage) throws {
        stage.values = models.hashLines
        stage.differences = Differences.between(
            expected: try exchange.given(item).hashes.lines(), found: stage.values)
    }

    /// Copies the store that Linux wrote and compares its rows, then its values.
    private func openGiven(_ stage: inout Report.Stage) throws {
        let given = exchange.given(item)
        let copy = exchange.made(item, .edited)
        try given.copyStore(to: copy)
        stage.differences = try PlainSQL.differences(of: copy.store, from: given.rows)
        stage.values = try work().lines(of: copy.store)
        stage.differences += Differences.between(expected: item.filledLines, found: stage.values)
    }

    /// Changes a store, compares its values and writes the list of its rows.
    private func leave(
        _ state: Exchange.State, _ stage: inout Report.Stage, _ change: (StoreWork, URL) throws -> Void
    ) throws {
        let folder = exchange.made(item, state)
        let work = try work()
        try change(work, folder.store)
        stage.values = try work.lines(of: folder.store, in: state)
        stage.differences = Differences.between(expected: item.lines(in: state), found: stage.values)
        try folder.rows.write(try PlainSQL.listing(of: folder.store))
    }

    /// Returns the work on stores with the models in the `.momd`.
    private func work() throws -> StoreWork {
        StoreWork(item: item, models: try ModelPair(contentsOf: exchange.given(item).models))
    }
}
