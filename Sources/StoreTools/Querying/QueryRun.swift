#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation

/// One run of a query: steps its statement and converts the rows.
struct QueryRun {
    private let plan: QueryPlan
    private let store: OpenStore
    private let session: any StoreSession

    /// The number of rows for which the members of to-many relationships are read together.
    private static let pageSize = 256

    init(_ plan: QueryPlan, in store: OpenStore, session: (any StoreSession)? = nil) throws {
        self.plan = plan
        self.store = store
        self.session = try session ?? store.session()
    }

    /// Passes the rows until `body` returns false.
    ///
    /// - Throws: ``OpenStore/BodyError`` for errors of `body`, and errors of reading.
    func run(_ body: (CurrentRow) throws -> Bool) throws {
        if plan.isEmpty { return }
        func pass(_ row: CurrentRow) throws -> Bool {
            do {
                return try body(row)
            } catch {
                throw OpenStore.BodyError(error: error)
            }
        }
        guard plan.readsMembers else {
            try store.engine.stream(plan.query, in: session) { try pass(current($0)) }
            return
        }
        var page = MemberPage(plan, session)
        var goesOn = true
        try store.engine.stream(plan.query, in: session) { statement in
            page.add(try current(statement).row, try owners(statement))
            if page.count < Self.pageSize { return true }
            for row in try page.take() where goesOn { goesOn = try pass(complete(row)) }
            return goesOn
        }
        guard goesOn else { return }
        for row in try page.take() {
            guard try pass(complete(row)) else { return }
        }
    }

    private func complete(_ row: StoreQuery.Row) -> CurrentRow {
        CurrentRow(row, prefix: store.layouts.byName[row.entity].flatMap { store.plainPrefixes[$0.number] })
    }

    // MARK: Rows

    private func current(_ statement: SQLiteStatement) throws -> CurrentRow {
        let key = statement.integer(0)
        guard RowReference.isKey(key) else {
            throw StoreToolError(
                .failed, "A row of \(plan.layout.name) has the key \(key), which is not valid.",
                advice: "Check the store.", url: store.url)
        }
        var number = plan.layout.number
        if plan.selectsEntity {
            let stored = statement.integer(1)
            guard let known = store.engine.modelNumber(ofStored: stored) else {
                throw StoreToolError(
                    .failed,
                    "The row \(key) of \(plan.layout.root.name) has the entity number \(stored), which the store does not "
                        + "know.", advice: "Check the store.", url: store.url)
            }
            number = known
        }
        return CurrentRow(statement, plan, store, entity: number, key: key)
    }

    // MARK: Members

    /// Returns the owner of each column of members; 0 for none.
    private func owners(_ statement: SQLiteStatement) throws -> [Int64] {
        plan.columns.compactMap { column in
            guard case .members(let members) = column else { return nil }
            let key = statement.integer(members.owner.column)
            guard RowReference.isKey(key) else { return 0 }
            guard members.owner.selectsEntity else { return key }
            let number = store.engine.modelNumber(ofStored: statement.integer(members.owner.column + 1))
            // Only some entities of the hierarchy may have the relationship.
            let layout = number.flatMap { store.layouts.byNumber[$0] }
            return layout?.isKind(of: members.path.owner) == true ? key : 0
        }
    }
}

/// Rows that wait for the members of to-many relationships.
private struct MemberPage {
    private let plan: QueryPlan
    private let session: any StoreSession
    private var rows: [StoreQuery.Row] = []
    private var owners: [[Int64]] = []

    init(_ plan: QueryPlan, _ session: any StoreSession) {
        self.plan = plan
        self.session = session
    }

    var count: Int { rows.count }

    mutating func add(_ row: StoreQuery.Row, _ owners: [Int64]) {
        rows.append(row)
        self.owners.append(owners)
    }

    /// Returns the rows with the members, and empties the page.
    mutating func take() throws -> [StoreQuery.Row] {
        var (rows, owners) = (rows, owners)
        self.rows = []
        self.owners = []
        var number = 0
        for (place, column) in plan.columns.enumerated() {
            guard case .members(let members) = column else { continue }
            let lists = try lists(members.path, owners.map { $0[number] })
            for index in rows.indices { rows[index].values[place] = lists[index] }
            number += 1
        }
        owners = []
        return rows
    }

    private func lists(_ path: PropertyPath.Members, _ owners: [Int64]) throws -> [StoreQuery.Value] {
        let store = plan.store
        let members = try owners.map { owner in
            owner > 0 ? try session.readToMany(path.relationship, of: path.owner, key: owner) : []
        }
        let keys = Set(members.joined().map(\.key)).sorted()
        var values: [Int64: StoreQuery.Value]?
        if let query = try QueryPlan.valueQuery(of: path, keys: keys, in: store) {
            var found: [Int64: StoreQuery.Value] = [:]
            try QueryRun(query, in: store, session: session).run { current in
                found[current.key] = current.row.values[0]
                return true
            }
            values = found
        }
        return zip(owners, members).map { owner, members in
            guard owner > 0 else { return .none }
            return .list(
                members.map { member in
                    guard let values else { return store.object(member.entityNumber, member.key) }
                    let name = store.names[member.entityNumber]
                    return values[member.key]
                        ?? .unreadable(reason: "The object \(name)/p\(member.key) does not exist.")
                })
        }
    }
}
#endif
