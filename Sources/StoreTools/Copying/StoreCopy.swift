#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation
import ModelFormat

/// Copies a store between SQLite and PostgreSQL, row by row, with the same keys and the same UUID, so that the URIs of objects
/// stay valid.
///
/// Rows are read in pages by key and written with a journal in the same transaction: a copy that was ended, or killed, is
/// continued by the next one with the same places. Its destination cannot be opened before everything was copied and
/// compared. Persistent history is not copied.
package struct StoreCopy {
    package let source: URL
    package let destination: URL
    /// The model of the source; nil for the one in it.
    package var model: Model?
    /// True if values that the destination cannot hold are written as the nearest ones, or left out.
    package var isLossy = false
    /// True if an unfinished copy is removed, and the copying begins from the start.
    package var restarts = false
    package var progress: StoreProgress.Handler?
    /// The greatest number of rows that are written at once.
    package var mostRowsInPage = 1000
    /// Called after each commit with its number; for tests.
    package var didCommit: ((Int) throws -> Void)?

    package init(from source: URL, to destination: URL) {
        self.source = source
        self.destination = destination
    }

    /// Returns true for the URL of a database of PostgreSQL.
    package static func isDatabase(_ url: URL) -> Bool {
        ["postgresql", "postgres"].contains(url.scheme?.lowercased() ?? "")
    }

    /// Returns the place of a store for messages: a path, or a URL without passwords.
    package static func name(of url: URL) -> String { url.nameInMessages }

    /// True if databases can be read and written.
    package static var knowsDatabases: Bool {
        #if PostgreSQL
        true
        #else
        false
        #endif
    }

    /// Throws if PostgreSQL is not part of this build.
    package static func requireDatabases() throws {
        guard !knowsDatabases else { return }
        throw StoreToolError(
            .unavailable, "This build knows no PostgreSQL stores.",
            advice: "Build it with the package's trait: swift build --traits PostgreSQL.")
    }

    /// Copies what is missing, and compares.
    ///
    /// - Throws: ``StoreToolError``; ``StoreToolError/Code/cancelled`` if the progress handler has ended it. The destination
    ///   is unfinished then, and the next run continues it.
    package func run() throws -> CopyReport {
        do {
            return try copy()
        } catch {
            throw CopyErrors.error(error)
        }
    }

    private func copy() throws -> CopyReport {
        for url in [source, destination] where Self.isDatabase(url) { try Self.requireDatabases() }
        let opened = try openSource()
        let progress = CopyProgress(progress)
        if restarts { try removeUnfinished() }
        let found = try findDestination(opened)
        var isOpen = true
        defer { if isOpen { found?.close() } }
        if let found, found.metadata[UnfinishedCopy.key] == nil {
            // Everything was done but the move.
            isOpen = false
            return try finish(found, opened, progress)
        }
        let known = found.flatMap { CopyJournal(in: $0.metadata) }
        let journal = known ?? CopyJournal(source: opened.identifier, isLossy: isLossy)
        let plan = try opened.reading {
            try CopyPlan(opened.session, opened.layouts, present: opened.present)
        }
        if found == nil { try survey(opened, plan, progress) }
        let target = try found ?? makeDestination(opened, journal)
        isOpen = false
        do {
            let run = CopyRun(
                opened, target, plan, journal, progress, mostRows: mostRowsInPage, didCommit: didCommit)
            let report = try run.run()
            try target.finish()
            return report
        } catch {
            target.close()
            throw error
        }
    }

    /// Compares once more, and moves the complete store to its place.
    private func finish(
        _ target: any CopyDestination, _ opened: CopySource, _ progress: CopyProgress
    ) throws -> CopyReport {
        let counted = try CopyPlan(target.session, opened.layouts, present: opened.present)
        var sums = CopyChecksums(counted, nil)
        progress.begin("Reading", counted.count)
        do {
            try sums.read(target.session) { try progress.advance($0) }
        } catch {
            target.close()
            throw error
        }
        try target.finish()
        var report = CopyReport()
        for layout in opened.layouts.all where !layout.isAbstract && opened.present.contains(layout.number) {
            let sum = sums.entities[layout.number] ?? CopyChecksums.Entity()
            report.entities.append(CopyReport.Entity(name: layout.name, count: sum.count, checksum: sum.sum))
        }
        report.entities.sort { $0.name < $1.name }
        report.isContinued = true
        return report
    }

    /// Reads all values of the source, before anything is written, and throws if the destination cannot hold them.
    private func survey(_ opened: CopySource, _ plan: CopyPlan, _ progress: CopyProgress) throws {
        let kind = Self.isDatabase(destination) ? CopyLimits.Kind.postgreSQL : .sqlite
        let limits = CopyLimits(kind, plan, isComparing: false)
        progress.begin("Reading objects", plan.count)
        for root in plan.roots {
            var pages = CopyPages(plan.rows(of: root), after: 0, most: mostRowsInPage)
            while let page = pages.nextPage() {
                let rows = CollectedRows()
                try opened.reading {
                    try opened.session.readRows(keys: ContiguousArray(page.lazy.map(\.key)), of: root, into: rows)
                }
                var bytes = 0
                for row in rows.rows {
                    guard let layout = plan.layouts.byNumber[row.entityNumber] else { continue }
                    bytes += layout.bytes(of: row.row)
                    for cell in layout.cells where !cell.isTransient && !cell.isDerived && cell.kind != .boxed {
                        _ = limits.value(cell, of: row.row, row.key, layout)
                    }
                }
                pages.note(bytes: bytes)
                try progress.advance(page.count)
            }
        }
        try CopyErrors.requireNone(limits.findings, kind, isLossy: isLossy)
    }

    // MARK: Places

    private func openSource() throws -> CopySource {
        #if PostgreSQL
        if Self.isDatabase(source) { return try CopySource(databaseAt: source, model: model) }
        #endif
        return try CopySource(fileAt: source, model: model)
    }

    private func findDestination(_ opened: CopySource) throws -> (any CopyDestination)? {
        #if PostgreSQL
        if Self.isDatabase(destination) { return try PostgreSQLCopyDestination(continuing: destination, opened) }
        #endif
        return try SQLiteCopyDestination(continuing: destination, opened)
    }

    private func makeDestination(_ opened: CopySource, _ journal: CopyJournal) throws -> any CopyDestination {
        #if PostgreSQL
        if Self.isDatabase(destination) { return try PostgreSQLCopyDestination(making: destination, opened, journal) }
        #endif
        return try SQLiteCopyDestination(making: destination, opened, journal)
    }

    private func removeUnfinished() throws {
        #if PostgreSQL
        if Self.isDatabase(destination) { return try PostgreSQLCopyDestination.remove(at: destination) }
        #endif
        try SQLiteCopyDestination.remove(at: destination)
    }
}
#endif
