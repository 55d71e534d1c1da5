import Foundation

/// Assigns the rows on pages that SQLite cannot reach, or not reliably, to tables.
///
/// Reads pages in the order of their reliability: in a table's tree (0), with a parent in such a tree (1), of unknown
/// owner (2), free (3), the remains of cells on damaged pages (4), and at last rows of which values are missing (5).
final class PageRouting {
    /// The pages of one group of pairs: those with a common root, or one page.
    private enum Group: Hashable {
        case root(Int)
        case page(Int)
    }

    private unowned let operation: RescueOperation
    private let survey: PageSurvey
    private let byRoot: [Int: RescueTable]
    private let systemRoots: Set<Int>
    private var byNumber: [Int64: RescueTable] = [:]
    private let isDamaged: Bool
    private var pairs: [Group: [(page: Int, isRemains: Bool)]] = [:]
    private var presence: [String: Statement] = [:]
    private var currentPage = 0
    /// The pages with rows of which only the first values could be read.
    private var incomplete: [Int] = []

    init(_ operation: RescueOperation) {
        self.operation = operation
        survey = operation.survey
        byRoot = Dictionary(
            operation.tables.compactMap { table in table.root.map { ($0, table) } }, uniquingKeysWith: { $1 })
        systemRoots = Set(
            operation.entries.filter { RescueOperation.systemTables[$0.name] != nil || $0.name.hasPrefix("sqlite_") }
                .map(\.rootPage)
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
        try placePairs()
    }

    private func rank(_ page: Int) -> Int {
        switch survey.owner(of: page) {
        case .tree: 0
        case .pointerMap: 1
        case .unknown: 2
        case .free: 3
        }
    }

    private func root(_ page: Int) -> Int? {
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

    // MARK: Rows

    /// Gives a row to a table; returns that.
    @discardableResult
    private func route(_ row: SalvagedRow, _ owner: RescueTable?, _ rank: Int) throws -> RescueTable? {
        let values = row.values
        if let owner, case .foreign = owner.kind {
            guard values.count <= owner.sourceCount, rank < 2 else { return nil }
            try operation.writer(owner).write(values, key: row.key, rank: rank)
            return owner
        }
        if values.count >= 3, values[0] == .null, case .integer(let number) = values[1], let table = byNumber[number],
            Self.isPlausible(values, table)
        {
            try accept(row, table, rank)
            return table
        }
        if let owner, owner.isEntity, rank < 2 || rank == 5, values.count >= 3, values.count <= owner.sourceCount,
            values[0] == .null, Self.share(values, owner) >= 0.6
        {
            try accept(row, owner, rank)
            return owner
        }
        if Self.isPair(values), row.isComplete {
            if let owner, owner.join != nil, rank < 2, values.count == owner.sourceCount {
                try operation.writer(owner).write(values, key: row.key, rank: rank)
                return owner
            }
            notePair(rank)
            return nil
        }
        guard rank < 3, isDamaged, !Self.isOfSystem(values) else { return nil }
        operation.notes.add("Rows of no known table were moved to the leftovers.", key: row.key, isLoss: true)
        try operation.leftovers.add(
            entity: nil, table: owner?.name, key: row.key, reason: "a row of no known table, on page \(row.page)",
            values: values.enumerated().map { (name: "\($0)", value: $1) })
        return nil
    }

    private func accept(_ row: SalvagedRow, _ table: RescueTable, _ rank: Int) throws {
        if table.isEntity, rank > 0 || table.isIntact {
            let isLive = table.isIntact ? false : isLive(row, table)
            let isDeleted = isLive.map { !$0 } ?? (rank == 3 || table.isKnownAsDeleted(row.key))
            if isDeleted || rank >= 3 {
                if try isPresent(row.key, table) { return }
                guard !isDeleted || operation.rescue.restoresDeletedRows else {
                    table.deletedKeys.insert(row.key)
                    return
                }
                table.deletedKeys.remove(row.key)
                if rank == 5 {
                    operation.notes.add(
                        "Values at the end of a row could not be read.", entity: name(row, table), key: row.key,
                        isLoss: true)
                    return try operation.writer(table).write(row.values, key: row.key, rank: rank)
                }
                operation.notes.add(
                    isDeleted
                        ? "A deleted row was restored." : "A row was found in a place that is no longer in use.",
                    entity: name(row, table), key: row.key, isMended: false)
            }
        } else if table.isIntact || rank >= 3 {
            return
        }
        try operation.writer(table).write(row.values, key: row.key, rank: rank)
    }

    private func name(_ row: SalvagedRow, _ table: RescueTable) -> String? {
        guard case .integer(let number) = row.values[1] else { return nil }
        return table.entities[number]?.name
    }

    /// Returns whether an intact index contains the row; nil if that is unknown.
    private func isLive(_ row: SalvagedRow, _ table: RescueTable) -> Bool? {
        guard let evidence = table.evidence,
            let place = table.columns.firstIndex(where: { $0.name == evidence.columnName })
        else { return nil }
        return evidence.contains(place < row.values.count ? row.values[place] : .null, key: row.key)
    }

    private func isPresent(_ key: Int64, _ table: RescueTable) throws -> Bool {
        let statement = try presenceStatement(table.name)
        try statement.bind(.integer(key), at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    private func presenceStatement(_ table: String) throws -> Statement {
        if let statement = presence[table] { return statement }
        let statement = try operation.out.prepare("SELECT 1 FROM \(table.quotedIdentifier) WHERE Z_PK = ?")
        presence[table] = statement
        return statement
    }

    // MARK: Shapes

    private static func isPlausible(_ values: [StoredValue], _ table: RescueTable) -> Bool {
        guard values.count <= table.sourceCount else { return false }
        if case .history = table.kind { return values[2] == .null }
        guard case .integer(let version) = values[2], version >= 1 else { return false }
        return share(values, table) >= 0.9
    }

    /// Returns the part of the values that obey the rules of their columns.
    private static func share(_ values: [StoredValue], _ table: RescueTable) -> Double {
        var fitting = 0
        for (place, value) in values.enumerated() {
            if case .unfit = table.columns[place].rule.fit(value) { continue }
            fitting += 1
        }
        return Double(fitting) / Double(max(values.count, 1))
    }

    private static func isPair(_ values: [StoredValue]) -> Bool {
        (2...4).contains(values.count)
            && values.enumerated().allSatisfy { place, value in
                switch value {
                case .integer(let number): number > 0
                case .null: place >= 2
                default: false
                }
            }
    }

    private static func isOfSystem(_ values: [StoredValue]) -> Bool {
        switch values.count {
        case 1: if case .blob = values[0] { return true }
        case 3: if values[0] == .null, case .blob = values[2] { return true }
        case 4: if values[0] == .null, case .text = values[1] { return true }
        case 5:
            if case .text(let kind) = values[0] { return ["table", "index", "trigger", "view"].contains(kind) }
        default: break
        }
        return false
    }

    // MARK: Pairs

    private func notePair(_ rank: Int) {
        guard rank < 3 || rank == 4 else { return }
        let group = root(currentPage).map { Group.root($0) } ?? .page(currentPage)
        if let last = pairs[group]?.last, last.page == currentPage, last.isRemains == (rank == 4) { return }
        pairs[group, default: []].append((currentPage, rank == 4))
    }

    /// Gives the pairs of unknown tables to those with objects at both ends.
    private func placePairs() throws {
        let damaged = operation.tables.filter { $0.join != nil && !$0.isIntact }
        guard !damaged.isEmpty else { return }
        for (_, pages) in pairs.sorted(by: { $0.value[0].page < $1.value[0].page }) {
            var scores: [(table: RescueTable, share: Double)] = []
            for table in damaged {
                let (known, total) = try ends(pages, table)
                if total > 0 { scores.append((table, Double(known) / Double(total))) }
            }
            scores.sort { $0.share > $1.share }
            guard let best = scores.first else { continue }
            let isClear = scores.count == 1 ? best.share >= 0.5 : best.share >= 0.8 && scores[1].share < best.share
            try forEachPair(pages) { row in
                guard isClear else {
                    operation.notes.add(
                        "Pairs of a relationship that cannot be determined were moved to the leftovers.", isLoss: true)
                    return try operation.leftovers.add(
                        entity: nil, table: nil, key: row.key,
                        reason: "a pair of one of "
                            + scores.filter { $0.share == best.share }.map(\.table.name).joined(separator: ", "),
                        values: row.values.enumerated().map { (name: "\($0)", value: $1) })
                }
                guard row.values.count == best.table.sourceCount else { return }
                try operation.writer(best.table).write(row.values, key: row.key, rank: 2)
            }
        }
    }

    private func forEachPair(_ pages: [(page: Int, isRemains: Bool)], _ body: (SalvagedRow) throws -> Void) throws {
        for (page, isRemains) in pages {
            if isRemains {
                try survey.remains(of: page) { if Self.isPair($0.values), $0.isComplete { try body($0) } }
            } else {
                _ = try survey.rows(of: page) { if Self.isPair($0.values), $0.isComplete { try body($0) } }
            }
        }
    }

    /// Returns the number of pairs, and of those with objects at both ends.
    private func ends(_ pages: [(page: Int, isRemains: Bool)], _ table: RescueTable) throws -> (Int, Int) {
        guard let join = table.join,
            let first = operation.schema.entity(join.first.entity)?.table,
            let second = operation.schema.entity(join.second.entity)?.table,
            let a = table.columns.firstIndex(where: { $0.name == join.first.column }),
            let b = table.columns.firstIndex(where: { $0.name == join.second.column })
        else { return (0, 0) }
        let (left, right) = (try presenceStatement(first), try presenceStatement(second))
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
}

extension RescueOperation {
    /// Reads the rows of damaged tables from pages, and counts deleted rows.
    func fillFromPages() throws { try PageRouting(self).run() }

    /// Returns the entity that a row of a table is likely to have; nil if several are equally likely.
    func likelyEntity(_ values: [StoredValue], in table: RescueTable) -> StoreEntity? {
        let concrete = table.entities.values.filter { !$0.isAbstract }.sorted { $0.number < $1.number }
        if concrete.count == 1 { return concrete[0] }
        let used = Set(
            table.columns.indices.filter {
                $0 < values.count && values[$0] != .null && table.columns[$0].property != nil
            }
            .map { table.columns[$0].name })
        let fitting = concrete.filter { entity in
            let columns = Set(
                entity.attributes.map(\.column)
                    + entity.toOnes.flatMap { [$0.column, $0.entityColumn, $0.orderColumn].compactMap { $0 } })
            let isComplete = (table.requirements[Int64(entity.number)] ?? []).allSatisfy {
                $0.column < values.count && values[$0.column] != .null
            }
            return used.isSubset(of: columns) && isComplete
        }
        func size(_ entity: StoreEntity) -> Int { entity.attributes.count + entity.toOnes.count }
        guard let smallest = fitting.map(size).min() else { return nil }
        let best = fitting.filter { size($0) == smallest }
        return best.count == 1 ? best[0] : nil
    }
}
