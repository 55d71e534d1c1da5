#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The copying of one store into another, from the step that its journal names.
final class CopyRun {
    private let source: CopySource
    private let destination: any CopyDestination
    private let plan: CopyPlan
    private let progress: CopyProgress
    /// The greatest number of rows in a page.
    private let mostRows: Int
    private var journal: CopyJournal
    /// The metadata of the destination, without the journal.
    private var metadata: [String: Any]
    /// Called after each step was committed; for tests.
    private let didCommit: ((Int) throws -> Void)?
    private var commits = 0

    init(
        _ source: CopySource, _ destination: any CopyDestination, _ plan: CopyPlan, _ journal: CopyJournal,
        _ progress: CopyProgress, mostRows: Int, didCommit: ((Int) throws -> Void)?
    ) {
        self.source = source
        self.destination = destination
        self.plan = plan
        self.journal = journal
        self.progress = progress
        self.mostRows = mostRows
        self.didCommit = didCommit
        metadata = destination.metadata
        metadata[UnfinishedCopy.key] = nil
    }

    /// Copies everything that is missing, compares, and marks the destination as complete.
    func run() throws -> CopyReport {
        let limits = CopyLimits(destination.limits, plan, isComparing: false)
        let rows = CopyRows(plan: plan, limits: limits)
        try copyRows(rows, limits)
        try copyReferences(rows)
        try copyLinks()
        let report = try compare()
        try destination.raiseHighestKeys(to: highestKeys())
        metadata.merge(source.programMetadata) { _, programs in programs }
        metadata[NSStoreUUIDKey] = source.identifier
        let changes = StoreChanges()
        changes.metadata = metadata
        try save(changes)
        return report
    }

    private func highestKeys() throws -> [Int: Int64] {
        var keys = try source.reading { try source.highestKeys(plan.roots) }
        for root in plan.roots {
            guard let last = plan.rows(of: root).last else { continue }
            keys[root.number] = max(keys[root.number] ?? 0, last.key)
        }
        return keys
    }

    // MARK: Saving

    private func save(_ changes: StoreChanges) throws {
        do {
            try destination.save(changes, after: journal)
        } catch let conflicts as StoreConflicts {
            throw CopyErrors.conflicts(conflicts, destination.name)
        } catch let missing as MissingDestinations {
            throw CopyErrors.missing(missing, plan.layouts, destination.name)
        }
        commits += 1
        try didCommit?(commits)
    }

    /// Saves a page, and the journal with it.
    private func save(_ changes: StoreChanges, _ next: CopyJournal) throws {
        var metadata = metadata
        metadata[UnfinishedCopy.key] = next.entry
        changes.metadata = metadata
        try save(changes)
        journal = next
    }

    // MARK: Steps

    private func read(_ page: ContiguousArray<RowReference>.SubSequence, of root: EntityLayout) throws -> CollectedRows
    {
        let rows = CollectedRows()
        try source.reading {
            try source.session.readRows(keys: ContiguousArray(page.lazy.map(\.key)), of: root, into: rows)
        }
        return rows
    }

    private static func bytes(_ rows: CollectedRows, _ layouts: ModelLayouts) -> Int {
        rows.rows.reduce(0) { $0 + (layouts.byNumber[$1.entityNumber]?.bytes(of: $1.row) ?? 0) }
    }

    private func copyRows(_ maker: CopyRows, _ limits: CopyLimits) throws {
        progress.begin("Copying objects", plan.count)
        for (step, root) in plan.roots.enumerated() {
            let all = plan.rows(of: root)
            guard !journal.isPast(.rows, step) else {
                try progress.advance(all.count)
                continue
            }
            let last = journal.lastKey(.rows, step)
            try progress.advance(all.count { $0.key <= last })
            var pages = CopyPages(all, after: last, most: mostRows)
            while let page = pages.nextPage(), let end = page.last {
                let rows = try read(page, of: root)
                let changes = try maker.inserts(rows, of: root)
                try CopyErrors.requireNone(limits.findings, destination.limits, isLossy: journal.isLossy)
                try save(changes, journal.at(.rows, step, end.key))
                pages.note(bytes: Self.bytes(rows, plan.layouts))
                try progress.advance(page.count)
            }
        }
    }

    private func copyReferences(_ maker: CopyRows) throws {
        let steps = plan.rootsWithLateReferences
        progress.begin("Connecting objects", steps.reduce(0) { $0 + plan.rows(of: plan.roots[$1]).count })
        for (step, place) in steps.enumerated() {
            let root = plan.roots[place]
            guard !journal.isPast(.references, step) else { continue }
            var pages = CopyPages(plan.rows(of: root), after: journal.lastKey(.references, step), most: mostRows)
            while let page = pages.nextPage(), let end = page.last {
                let rows = try read(page, of: root)
                if let changes = try maker.updates(rows, of: root) {
                    try save(changes, journal.at(.references, step, end.key))
                }
                pages.note(bytes: Self.bytes(rows, plan.layouts))
                try progress.advance(page.count)
            }
        }
    }

    private func copyLinks() throws {
        progress.begin("Copying relationships", plan.links.reduce(0) { $0 + plan.rows(ofFamily: $1.layout).count })
        for (step, link) in plan.links.enumerated() where !journal.isPast(.links, step) {
            let isHeldByRows = link.relationship.inverse.map { !$0.isToMany } ?? false
            var pages = CopyPages(
                plan.rows(ofFamily: link.layout), after: journal.lastKey(.links, step), most: min(mostRows, 500))
            while let page = pages.nextPage(), let end = page.last {
                let members = try source.reading { try LinkMembers(link, of: page, source.session) }
                let changes = StoreChanges()
                for owner in page {
                    guard let targets = members.byOwner[owner.key], !targets.isEmpty else { continue }
                    changes.toMany.append(
                        StoreChanges.LinkChanges(
                            layout: link.layout, relationship: link.relationship, source: owner,
                            added: isHeldByRows ? [] : targets, removed: [],
                            order: link.relationship.isOrdered ? targets : nil))
                }
                if !changes.toMany.isEmpty { try save(changes, journal.at(.links, step, end.key)) }
                pages.note(bytes: max(1, members.count) * 1024)
                try progress.advance(page.count)
            }
        }
    }

    // MARK: Comparison

    private func compare() throws -> CopyReport {
        let limits = CopyLimits(destination.limits, plan, isComparing: true)
        let session = destination.session
        session.renew()
        let copied = try CopyPlan(session, plan.layouts, present: source.present)
        progress.begin("Comparing", plan.count + copied.count)
        var (own, other) = (CopyChecksums(plan, limits), CopyChecksums(copied, nil))
        try source.reading { try own.read(source.session) { try progress.advance($0) } }
        try other.read(session) { try progress.advance($0) }
        var report = CopyReport()
        for layout in plan.layouts.all where !layout.isAbstract && source.present.contains(layout.number) {
            let (expected, found) = (own.entities[layout.number], other.entities[layout.number])
            guard let expected, let found, expected.isEqual(to: found) else {
                throw CopyErrors.difference(layout.name, expected, found, destination.name)
            }
            if expected.derived != found.derived { report.recomputed.append(layout.name) }
            report.entities.append(
                CopyReport.Entity(name: layout.name, count: expected.count, checksum: expected.sum))
        }
        report.entities.sort { $0.name < $1.name }
        report.changed = limits.findings
        report.roundedDates = limits.roundedDates
        report.roundedDate = limits.roundedDate
        report.isContinued = destination.isContinued
        return report
    }
}
#endif
