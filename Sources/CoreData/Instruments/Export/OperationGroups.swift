import CoreDataRowStorage

extension Instruments.Recording {
    /// A group of operations that are equal except for their values.
    package struct OperationGroup {
        /// The common properties of the operations.
        package struct Question: Hashable {
            package let kind: EventKind
            package let entity: String?
            package let keyPath: String?
            /// The predicate without its values.
            package let condition: String?
            /// The first statement, with placeholders for values, if nothing else describes the operation; nil for saves, which
            /// begin with an unspecific one.
            package let sql: String?
        }

        package let question: Question
        /// The number of operations.
        var count = 0
        /// The total time of the operations, nested ones included.
        var nanoseconds: Int64 = 0

        /// The title of the group, such as `fetch Book where pages > ?`.
        package var title: String {
            let subject = [question.entity, question.keyPath].compactMap(\.self).joined(separator: ".")
            var title = question.kind.rawValue
            if !subject.isEmpty { title += " " + subject }
            if let condition = question.condition { return "\(title) where \(condition)" }
            if subject.isEmpty, let sql = question.sql { title += " " + sql }
            return title
        }
    }

    /// Returns the groups in descending order of cost, and the index of each event's group.
    package func operationGroups() -> (groups: [OperationGroup], indexes: [Int]) {
        var groups: [OperationGroup] = []
        var known: [OperationGroup.Question: Int] = [:]
        var indexes = events.map { event in
            let facts = event.facts
            let question = OperationGroup.Question(
                kind: facts.kind, entity: facts.entity, keyPath: facts.keyPath,
                condition: facts.predicateText.map(PredicateShape.of),
                sql: facts.kind == .save || facts.entity != nil ? nil : facts.statementUses.first?.sql)
            let index = known[question] ?? groups.count
            if index == groups.count {
                known[question] = index
                groups.append(OperationGroup(question: question))
            }
            groups[index].count += 1
            groups[index].nanoseconds += facts.nanoseconds
            return index
        }
        let order = groups.indices.sorted {
            (-groups[$0].nanoseconds, $0) < (-groups[$1].nanoseconds, $1)
        }
        var places = [Int](repeating: 0, count: groups.count)
        for (place, index) in order.enumerated() { places[index] = place }
        for index in indexes.indices { indexes[index] = places[indexes[index]] }
        return (order.map { groups[$0] }, indexes)
    }
}
