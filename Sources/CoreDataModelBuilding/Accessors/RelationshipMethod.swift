/// The operation of a managed method on a to-many relationship, derived from its name and labels.
struct RelationshipMethod: Hashable {
    enum Action: Hashable {
        case add, addAll, remove, removeAll
        case insert, insertAll, removeAt, removeAtAll, replace, replaceAll
    }

    var action: Action
    /// The capitalized name of the relationship, as in method names.
    var capitalizedKey: String

    /// Parses the spelling that Xcode generates for Swift (`addToItems(_:)`, `insertIntoItems(_:at:)`) or the one of
    /// Objective-C (`addItemsObject(_:)`, `insertObject(_:inItemsAtIndex:)`).
    init?(_ method: ManagedMethodDeclaration) {
        guard let (action, key) = Self.match(method) else { return nil }
        self.action = action
        capitalizedKey = key
    }

    private static func match(_ method: ManagedMethodDeclaration) -> (Action, String)? {
        let labels = method.parameters.map { $0.label ?? "_" }
        let takesMany = method.parameters.first.map { isCollection($0.type) } ?? false
        let takesIndexes = method.parameters.contains { isIndexSet($0.type) }
        /// Returns the action with the text between prefix and suffix of the method's name.
        func named(_ action: Action, _ prefix: String, _ suffix: String = "") -> (Action, String)? {
            middle(method.name, prefix, suffix).map { (action, $0) }
        }
        switch labels {
        case ["_"]:
            if let match = named(takesMany ? .addAll : .add, "addTo") { return match }
            if let match = named(takesMany ? .removeAll : .remove, "removeFrom") { return match }
            if let match = named(.add, "add", "Object") { return match }
            if let match = named(.removeAt, "removeObjectFrom", "AtIndex") { return match }
            if let match = named(.remove, "remove", "Object") { return match }
            if let match = named(.removeAtAll, "remove", "AtIndexes") { return match }
            guard takesMany else { return nil }
            return named(.addAll, "add") ?? named(.removeAll, "remove")
        case ["at"]: return named(takesIndexes ? .removeAtAll : .removeAt, "removeFrom")
        case ["_", "at"]: return named(takesIndexes ? .insertAll : .insert, "insertInto")
        case ["at", "with"]: return named(takesIndexes ? .replaceAll : .replace, "replace")
        case ["_", "atIndexes"]: return named(.insertAll, "insert")
        case ["_", "withObject"]: return named(.replace, "replaceObjectIn", "AtIndex")
        default: break
        }
        guard labels.count == 2 else { return nil }
        if method.name == "insertObject" { return middle(labels[1], "in", "AtIndex").map { (.insert, $0) } }
        return labels[1].hasPrefix("with") ? named(.replaceAll, "replace", "AtIndexes") : nil
    }

    private static func middle(_ text: String, _ prefix: String, _ suffix: String) -> String? {
        guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.count > prefix.count + suffix.count else {
            return nil
        }
        let key = String(text.dropFirst(prefix.count).dropLast(suffix.count))
        return key.first?.isUppercase == true || key.first == "_" ? key : nil
    }

    /// Returns the matching relationship among the known names, or else the key with a lowercase first letter.
    func key(among names: [String]) -> String {
        let matching = names.first { $0.prefix(1).uppercased() + $0.dropFirst() == capitalizedKey }
        return matching ?? capitalizedKey.prefix(1).lowercased() + capitalizedKey.dropFirst()
    }

    private static func isCollection(_ type: TypeSyntax) -> Bool {
        switch type {
        case .array: true
        case .optional(let wrapped): isCollection(wrapped)
        case .named(let path, _): ["NSSet", "NSOrderedSet", "Set", "NSArray", "Array"].contains(path.last)
        default: false
        }
    }

    private static func isIndexSet(_ type: TypeSyntax) -> Bool {
        if case .named(let path, _) = type { return path.last == "NSIndexSet" || path.last == "IndexSet" }
        return false
    }
}
