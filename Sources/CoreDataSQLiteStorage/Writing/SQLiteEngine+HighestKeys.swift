import CoreDataRowStorage

/// The counters of keys, for copies of whole stores that keep their keys.
extension SQLiteEngine {
    /// Returns the highest keys that were ever reserved, by the numbers of the root entities.
    package func highestKeys(of roots: [EntityLayout]) throws -> [Int: Int64] {
        try pool.read { connection in
            let statement = try connection.prepare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
            var keys: [Int: Int64] = [:]
            for root in roots {
                try statement.bind(Int64(numbering.inFile[root.number]), at: 1)
                if try statement.step() { keys[root.number] = statement.integer(0) }
                statement.reset()
            }
            return keys
        }
    }

    /// Raises the counters to these keys, so that they are not reserved again. Lower counters stay.
    package func raiseHighestKeys(to keys: [Int: Int64]) throws {
        try pool.transaction { connection in
            let statement = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = ?")
            for (root, key) in keys {
                try statement.bind(key, at: 1)
                try statement.bind(Int64(numbering.inFile[root]), at: 2)
                try statement.run()
            }
            allocator.forgetAll()
        }
    }
}
