/// The expected persistent history of steps that change attributes.
struct SceneHistory: Sendable {
    private enum Change: Sendable {
        case insert
        case update(Set<String>)
        case delete
    }

    private var pending: [String: Change] = [:]
    private var transactions: [(author: String, changes: [String: Change])] = []
    private var gone: Set<String> = []

    mutating func inserted(_ key: String) { pending[key] = .insert }

    mutating func updated(_ key: String, _ names: Set<String>) {
        switch pending[key] {
        case .insert?: break
        case .update(let others)?: pending[key] = .update(others.union(names))
        default: pending[key] = .update(names)
        }
    }

    mutating func deleted(_ key: String) { pending[key] = .delete }

    mutating func save(by author: String) {
        transactions.append((author, pending))
        for (key, change) in pending {
            if case .delete = change { gone.insert(key) }
        }
        pending = [:]
    }

    /// All transactions and changes, one line each.
    var lines: [String] {
        var lines: [String] = []
        for (index, transaction) in transactions.enumerated() {
            lines.append(
                Self.line(transaction: index + 1, author: transaction.author, after: transactions.count - index - 1))
            for (key, change) in transaction.changes {
                switch change {
                case .insert: lines.append(Self.line(index + 1, "insert", gone.contains(key) ? nil : key))
                case .update(let names):
                    lines.append(Self.line(index + 1, "update", gone.contains(key) ? nil : key, of: names))
                case .delete: lines.append(Self.line(index + 1, "delete", key))
                }
            }
        }
        return lines.sorted()
    }

    static func line(transaction: Int, author: String, after: Int) -> String {
        "history \(transaction) by \(Value.quoted(author)), followed by \(after)"
    }

    static func line(_ transaction: Int, _ kind: String, _ key: String?, of names: Set<String> = []) -> String {
        let properties = names.isEmpty ? "" : " of " + names.sorted().joined(separator: ", ")
        return "history \(transaction): \(kind) \(key ?? "of an object that is gone")\(properties)"
    }
}
