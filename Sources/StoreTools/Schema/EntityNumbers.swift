/// The numbers of a model's entities in one file.
enum EntityNumbers {
    /// The valid numbers of entities. Those of the framework's own entities begin at 16001.
    private static let valid = 1..<1 << 15
    private static let firstOfFramework = 16000

    /// Returns the numbers in the order of entities.
    ///
    /// Entities are found by name. If some are missing, as in files in which a migration has renamed a subentity, and all
    /// others have the model's numbers, so have the missing ones; else these get numbers that are not in use.
    ///
    /// - Parameter stored: the numbers by entity name; nil for a new file, which has the model's.
    static func assign(_ names: [String], stored: [String: Int]?) -> [Int] {
        guard let stored else { return Array(1..<names.count + 1) }
        let found = names.map { name in stored[name].flatMap { valid.contains($0) ? $0 : nil } }
        let isComplete = !found.contains(nil)
        if !isComplete, found.enumerated().allSatisfy({ $1 == nil || $1 == $0 + 1 }) {
            return Array(1..<names.count + 1)
        }
        var unused = stored.values.filter { $0 < firstOfFramework }.max() ?? 0
        return found.map { number in
            if let number { return number }
            unused += 1
            return unused
        }
    }
}
