import Foundation

/// Assigns the rows on pages that SQLite cannot reach, or not reliably, to tables.
///
/// Reads pages in the order of their reliability: in a table's tree (0), with a parent in such a tree (1), of unknown
/// owner (2), free (3), the remains of cells on damaged pages (4), and at last rows of which values are missing (5).
final class PageRouting {
    unowned let operation: RescueOperation
    let survey: PageSurvey
    private let byRoot: [Int: RescueTable]
    private let systemRoots: Set<Int>
    private(set) var byNumber: [Int64: RescueTable] = [:]
    let isDamaged: Bool
    let pairs: PairPlacement
    var presence: [String: Statement] = [:]
    private(set) var currentPage = 0
    /// The pages with rows of which only the first values could be read.
    private var incomplete: [Int] = []

    init(_ operation: RescueOperation) {
        self.operation = operation
        survey = operation.survey
        pairs = PairPlacement(operation)
        byRoot = Dictionary(
            operation.tables.compactMap { table in table.root.map { ($0, table) } }, uniquingKeysWith: { $1 })
        systemRoots = Set(
            operation.entries.filter {
                RescueOperation.systemTables[$0.name] != nil || $0.name.hasPrefix("sqlite_")
                    || operation.isOfVirtualTable($0.name)
            }.map(\.rootPage)
        ).union([1])
        isDamaged = operation.tables.contains { !$0.isIntact }
        for table in operation.tables {
            switch table.kind {
            case .entity: for number in table.entities.keys { byNumber[number] = table }
            case .history(let number): byNumber[Int64(number)] = table
            default: break
            }
            if !table.isIntact, table.isEntity, let source = operation.source {
                table.evidence = IndexEvidence(source, table: table.name)
            }
        }
    }

    func run() throws {
        var suspects = survey.unreadablePages
        for rank in 0...3 {
            for (place, page) in survey.leafPages.enumerated() where self.rank(page) == rank {
                if place & 0xff == 0 {
                    try operation.proceed("Reading pages", Double(place) / Double(survey.leafPages.count))
                }
                let owner = self.owner(page)
                if rank < 2, let owner, owner.isIntact || systemRoots.contains(owner.root ?? 0) { continue }
                if rank < 2, isSystem(page) { continue }
                if try read(page, owner, rank) > 0, rank < 3 { suspects.append(page) }
            }
            if rank == 0 {
                for table in operation.tables { table.intactRanges.sort { $0.lowerBound < $1.lowerBound } }
            }
        }
        guard isDamaged || operation.rescue.restoresDeletedRows else { return }
        for page in suspects where rank(page) < 3 {
            currentPage = page
            try survey.remains(of: page) { if $0.isComplete { try route($0, owner(page), 4) } }
        }
        for page in incomplete where rank(page) < 3 {
            currentPage = page
            _ = try survey.rows(of: page) { if !$0.isComplete { try route($0, owner(page), 5) } }
        }
        if operation.rescue.restoresDeletedRows {
            for page in survey.leafPages where !isSystem(page) {
                currentPage = page
                try survey.remains(of: page) { if $0.isComplete { try route($0, nil, 3) } }
            }
        }
        try pairs.place()
    }

    private func rank(_ page: Int) -> Int {
        switch survey.owner(of: page) {
        case .tree: 0
        case .pointerMap: 1
        case .unknown: 2
        case .free: 3
        }
    }

    func root(_ page: Int) -> Int? {
        switch survey.owner(of: page) {
        case .tree(let root), .pointerMap(let root): root
        default: nil
        }
    }

    private func owner(_ page: Int) -> RescueTable? { root(page).flatMap { byRoot[$0] } }
    private func isSystem(_ page: Int) -> Bool { root(page).map { systemRoots.contains($0) } ?? false }

    /// Reads a leaf page; returns the number of cells that could not be read.
    private func read(_ page: Int, _ owner: RescueTable?, _ rank: Int) throws -> Int {
        currentPage = page
        var range: ClosedRange<Int64>?
        var isOwn = true
        let damaged = try survey.rows(of: page) { row in
            guard row.isComplete else {
                if incomplete.last != page { incomplete.append(page) }
                return
            }
            range = min(range?.lowerBound ?? row.key, row.key)...max(range?.upperBound ?? row.key, row.key)
            isOwn = try route(row, owner, rank) === owner && isOwn
        }
        if rank == 0, damaged == 0, isOwn, let owner, let range { owner.intactRanges.append(range) }
        if damaged > 0, rank < 3 {
            operation.notes.add(
                "Rows on damaged pages could not be read completely.", entity: owner.flatMap(rootName), count: damaged,
                isLoss: true)
        }
        return damaged
    }

    private func rootName(_ table: RescueTable) -> String? {
        guard case .entity(let described) = table.kind else { return nil }
        return operation.schema.entity(described.root)?.name
    }
}

extension RescueOperation {
    /// Reads the rows of damaged tables from pages, and counts deleted rows.
    func fillFromPages() throws { try PageRouting(self).run() }
}
