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
    func run(_ body: (StoreQuery.Row) throws -> Bool) throws {
        if plan.isEmpty { return }
        func pass(_ row: StoreQuery.Row) throws -> Bool {
            do {
                return try body(row)
            } catch {
                throw OpenStore.BodyError(error: error)
            }
        }
        guard plan.readsMembers else {
            try store.engine.stream(plan.query, in: session) { try pass(row($0)) }
            return
        }
        var page = MemberPage(plan, session)
        var goesOn = true
        try store.engine.stream(plan.query, in: session) { statement in
            page.add(try row(statement), try owners(statement))
            if page.count < Self.pageSize { return true }
            for row in try page.take() where goesOn { goesOn = try pass(row) }
            return goesOn
        }
        guard goesOn else { return }
        for row in try page.take() {
            guard try pass(row) else { return }
        }
    }

    // MARK: Rows

    private func row(_ statement: SQLiteStatement) throws -> StoreQuery.Row {
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
        let columns = plan.columns
        let values = [StoreQuery.Value](unsafeUninitializedCapacity: columns.count) { buffer, count in
            for column in columns {
                (buffer.baseAddress! + count).initialize(to: value(column, statement))
                count += 1
            }
        }
        return StoreQuery.Row(
            entity: store.names[number], key: key, columns: plan.names, values: values, storeUUID: store.identifier)
    }

    @inline(__always)
    private func value(_ column: QueryPlan.Column, _ statement: SQLiteStatement) -> StoreQuery.Value {
        switch column {
        case .value(let place, let reader): reader.value(statement, place)
        case .object(let place, let layout, let selectsEntity):
            object(statement, place, layout, selectsEntity: selectsEntity)
        case .entity(let place):
            statement.isNull(place)
                ? .none
                : store.engine.modelNumber(ofStored: statement.integer(place)).map { .string(store.names[$0]) }
                    ?? .unreadable(reason: "The store has no entity with the number \(statement.integer(place)).")
        case .composite(let place, let elements): composite(statement, place, elements)
        case .members: .none
        }
    }

    private func object(
        _ statement: SQLiteStatement, _ place: Int32, _ layout: EntityLayout, selectsEntity: Bool
    ) -> StoreQuery.Value {
        guard !statement.isNull(place) else { return .none }
        let key = statement.integer(place)
        if key == 0 { return .none }
        guard RowReference.isKey(key) else { return .unreadable(reason: "The key \(key) is not valid.") }
        guard selectsEntity else { return store.object(layout.number, key) }
        let stored = statement.integer(place + 1)
        guard let number = store.engine.modelNumber(ofStored: stored) else {
            let entity = statement.isNull(place + 1) ? "no entity number" : "the unknown entity number \(stored)"
            return .unreadable(reason: "The reference to the key \(key) of \(layout.name) has \(entity).")
        }
        return store.object(number, key)
    }

    private func composite(
        _ statement: SQLiteStatement, _ place: Int32, _ elements: [(path: [String], reader: ValueReader)]
    ) -> StoreQuery.Value {
        var whole: [String: StoreQuery.Value] = [:]
        for (offset, element) in elements.enumerated() {
            let value = element.reader.value(statement, place + Int32(offset))
            if value != .none { Self.set(value, at: element.path[...], of: &whole) }
        }
        return whole.isEmpty ? .none : .composite(whole)
    }

    private static func set(
        _ value: StoreQuery.Value, at path: ArraySlice<String>, of whole: inout [String: StoreQuery.Value]
    ) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            whole[name] = value
            return
        }
        var nested: [String: StoreQuery.Value] = [:]
        if case .composite(let known)? = whole[name] { nested = known }
        set(value, at: path.dropFirst(), of: &nested)
        whole[name] = .composite(nested)
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
            try QueryRun(query, in: store, session: session).run { row in
                found[row.key] = row.values[0]
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
