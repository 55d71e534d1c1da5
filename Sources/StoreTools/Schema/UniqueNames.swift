/// Assigns unique names: the first with a name keeps it, later ones get a number.
struct UniqueNames {
    private var used: Set<String>
    /// The last number that was tried for a name.
    private var suffixes: [String: Int] = [:]

    init(taken: Set<String> = []) { used = taken }

    mutating func unique(_ base: String) -> String {
        if used.insert(base).inserted { return base }
        var suffix = suffixes[base] ?? 0
        var name: String
        repeat {
            suffix += 1
            name = base + String(suffix)
        } while !used.insert(name).inserted
        suffixes[base] = suffix
        return name
    }
}
