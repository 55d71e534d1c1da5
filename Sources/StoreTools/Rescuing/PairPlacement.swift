/// Gives pairs of many-to-many relationships, of which no schema tells the table, to the table with objects at both ends.
final class PairPlacement {
    /// The pages with a common root, or one page.
    private enum Group: Hashable {
        case root(Int)
        case page(Int)
    }

    private typealias Pages = [(page: Int, isRemains: Bool)]

    private unowned let operation: RescueOperation
    private let survey: PageSurvey
    private var groups: [Group: Pages] = [:]
    private var presence: [String: Statement] = [:]

    init(_ operation: RescueOperation) {
        self.operation = operation
        survey = operation.survey
    }

    /// Notes that a page has pairs.
    ///
    /// - Parameter isRemains: Whether they are remains of cells.
    func note(_ page: Int, root: Int?, isRemains: Bool) {
        let group = root.map { Group.root($0) } ?? .page(page)
        if let last = groups[group]?.last, last == (page, isRemains) { return }
        groups[group, default: []].append((page, isRemains))
    }

    /// Writes all noted pairs into tables, or into the leftovers.
    func place() throws {
        let damaged = operation.tables.filter { $0.join != nil && !$0.isIntact }
        guard !damaged.isEmpty else { return }
        // Roots and their candidates, where there are several.
        var open: [(root: Int, pages: Pages, candidates: [RescueTable])] = []
        var taken: Set<String> = []
        for (group, pages) in groups.sorted(by: { $0.value[0].page < $1.value[0].page }) {
            let candidates = try candidates(pages, damaged)
            if candidates.count == 1 {
                try write(pages, into: candidates[0])
                if case .root = group { taken.insert(candidates[0].name) }
            } else if case .root(let root) = group, candidates.count > 1 {
                open.append((root, pages, candidates))
            } else {
                try setAside(pages, candidates)
            }
        }
        // A file has its tables in the order of their creation, which is that of the model.
        open.sort { $0.root < $1.root }
        while let first = open.first {
            let names = first.candidates.map(\.name)
            let alike = open.filter { $0.candidates.map(\.name) == names }
            open.removeAll { $0.candidates.map(\.name) == names }
            let free = inFileOrder(first.candidates.filter { !taken.contains($0.name) })
            for (place, group) in alike.enumerated() {
                guard free.count == alike.count else {
                    try setAside(group.pages, group.candidates)
                    continue
                }
                try write(group.pages, into: free[place])
                taken.insert(free[place].name)
                if free.count > 1 { noteOrder(free[place]) }
            }
        }
    }

    private func noteOrder(_ table: RescueTable) {
        guard let join = table.join else { return }
        operation.notes.add(
            "The pairs were recognized only by the order of tables in the file.",
            entity: operation.schema.entity(join.first.entity)?.name, property: join.first.relationship)
    }

    private func inFileOrder(_ tables: [RescueTable]) -> [RescueTable] {
        func place(_ table: RescueTable) -> (Int, Int) {
            guard let join = table.join else { return (0, 0) }
            let root = operation.schema.entity(join.first.entity)?.root ?? 0
            return (root, operation.schema.joins.firstIndex { $0.name == table.name } ?? 0)
        }
        return tables.sorted { place($0) < place($1) }
    }

    /// Returns the tables to which pairs may belong: those with the most that have an object at both ends, if that is
    /// nearly all.
    private func candidates(_ pages: Pages, _ tables: [RescueTable]) throws -> [RescueTable] {
        var scores: [(table: RescueTable, share: Double)] = []
        for table in tables {
            let (known, total) = try ends(pages, table)
            if total > 0 { scores.append((table, Double(known) / Double(total))) }
        }
        guard let best = scores.map(\.share).max(), best >= (scores.count == 1 ? 0.5 : 0.8) else { return [] }
        return scores.filter { $0.share == best }.map(\.table)
    }

    private func write(_ pages: Pages, into table: RescueTable) throws {
        let writer = try operation.writer(table)
        try forEachPair(pages) { row in
            guard row.values.count == table.sourceCount else { return }
            try writer.write(row.values, key: row.key, rank: 2)
        }
    }

    private func setAside(_ pages: Pages, _ candidates: [RescueTable]) throws {
        // What looks like a pair in free space, and fits nowhere, is none.
        let pages = candidates.isEmpty ? pages.filter { !$0.isRemains } : pages
        let names = candidates.map(\.name).joined(separator: ", ")
        try forEachPair(pages) { row in
            operation.notes.add(
                "Pairs of a relationship that cannot be determined were moved to the leftovers.", isLoss: true)
            try operation.leftovers.add(
                entity: nil, table: nil, key: row.key,
                reason: names.isEmpty ? "a pair of an unknown relationship" : "a pair of one of \(names)",
                values: row.values.enumerated().map { (name: "\($0)", value: $1) })
        }
    }

    private func forEachPair(_ pages: Pages, _ body: (SalvagedRow) throws -> Void) throws {
        for (page, isRemains) in pages {
            if isRemains {
                try survey.remains(of: page) { if RowShape.isPair($0.values), $0.isComplete { try body($0) } }
            } else {
                _ = try survey.rows(of: page) { if RowShape.isPair($0.values), $0.isComplete { try body($0) } }
            }
        }
    }

    /// Returns the number of pairs, and of those with an object at both ends.
    private func ends(_ pages: Pages, _ table: RescueTable) throws -> (Int, Int) {
        guard let join = table.join,
            let first = operation.schema.entity(join.first.entity)?.table,
            let second = operation.schema.entity(join.second.entity)?.table,
            let a = table.columns.firstIndex(where: { $0.name == join.first.column }),
            let b = table.columns.firstIndex(where: { $0.name == join.second.column })
        else { return (0, 0) }
        let (left, right) = (try presence(of: first), try presence(of: second))
        var (known, total) = (0, 0)
        try forEachPair(pages) { row in
            guard row.values.count == table.sourceCount else { return }
            total += 1
            for (statement, place) in [(left, a), (right, b)] {
                defer { statement.reset() }
                try statement.bind(row.values[place], at: 1)
                guard try statement.step() else { return }
            }
            known += 1
        }
        return (known, total)
    }

    private func presence(of table: String) throws -> Statement {
        if let statement = presence[table] { return statement }
        let statement = try operation.out.prepare("SELECT 1 FROM \(table.quotedIdentifier) WHERE Z_PK = ?")
        presence[table] = statement
        return statement
    }
}
