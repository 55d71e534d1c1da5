/// Collects keys that are no property of the object they were asked of, where that is to be an error and not a trap.
final class UndefinedKeys {
    private(set) var first: (key: String, entity: String)?

    func note(_ key: String, of entity: NSEntityDescription) {
        if first == nil { first = (key, entity.name ?? "?") }
    }
}
