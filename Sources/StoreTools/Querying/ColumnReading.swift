#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import CoreDataSQLiteStorage

extension QueryPlan.Column {
    /// Returns the value of the column in the statement's row; none for members, which are read later.
    func value(_ statement: SQLiteStatement, _ store: OpenStore) -> StoreQuery.Value {
        switch self {
        case .value(let place, let reader): reader.value(statement, place)
        case .object(let place, let layout, let selectsEntity):
            switch reference(statement, place, layout, selectsEntity, store) {
            case .object(let number): store.object(number, statement.integer(place))
            case .other(let value): value
            }
        case .entity(let place):
            statement.isNull(place)
                ? .none
                : store.engine.modelNumber(ofStored: statement.integer(place)).map { .string(store.names[$0]) }
                    ?? .unreadable(reason: "The store has no entity with the number \(statement.integer(place)).")
        case .composite(let place, let elements): Self.composite(statement, place, elements)
        case .members: .none
        }
    }

    /// Returns the value of the column without copies, as far as possible.
    func current(_ statement: SQLiteStatement, _ store: OpenStore) -> CurrentRow.Value {
        switch self {
        case .value(let place, let reader): return reader.current(statement, place)
        case .object(let place, let layout, let selectsEntity):
            if case .object(let number) = reference(statement, place, layout, selectsEntity, store),
                let prefix = store.plainPrefixes[number]
            {
                return .object(prefix: prefix, key: statement.integer(place))
            }
        case .entity, .composite, .members: break
        }
        return .other(value(statement, store))
    }

    // MARK: Objects

    private enum Reference {
        /// An object of the entity with a number.
        case object(Int)
        case other(StoreQuery.Value)
    }

    private func reference(
        _ statement: SQLiteStatement, _ place: Int32, _ layout: EntityLayout, _ selectsEntity: Bool, _ store: OpenStore
    ) -> Reference {
        guard !statement.isNull(place) else { return .other(.none) }
        let key = statement.integer(place)
        if key == 0 { return .other(.none) }
        guard RowReference.isKey(key) else { return .other(.unreadable(reason: "The key \(key) is not valid.")) }
        guard selectsEntity else { return .object(layout.number) }
        let stored = statement.integer(place + 1)
        guard let number = store.engine.modelNumber(ofStored: stored) else {
            let entity = statement.isNull(place + 1) ? "no entity number" : "the unknown entity number \(stored)"
            return .other(.unreadable(reason: "The reference to the key \(key) of \(layout.name) has \(entity)."))
        }
        return .object(number)
    }

    // MARK: Composite attributes

    private static func composite(
        _ statement: SQLiteStatement, _ place: Int32, _ elements: [(path: [String], reader: ValueReader)]
    ) -> StoreQuery.Value {
        var whole: [String: StoreQuery.Value] = [:]
        for (offset, element) in elements.enumerated() {
            let value = element.reader.value(statement, place + Int32(offset))
            if value != .none { set(value, at: element.path[...], of: &whole) }
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
}
#endif
