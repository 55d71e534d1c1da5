/// Tells by the values of a row to which table it may belong.
enum RowShape {
    /// Returns whether the values look like a row of a table of objects or of history.
    static func isPlausible(_ values: [StoredValue], _ table: RescueTable) -> Bool {
        guard values.count <= table.sourceCount else { return false }
        if case .history = table.kind { return values[2] == .null }
        guard case .integer(let version) = values[2], version >= 1 else { return false }
        return share(values, table) >= 0.9
    }

    /// Returns the part of the values that obey the rules of their columns.
    static func share(_ values: [StoredValue], _ table: RescueTable) -> Double {
        var fitting = 0
        for (place, value) in values.enumerated() {
            if case .unfit = table.columns[place].rule.fit(value) { continue }
            fitting += 1
        }
        return Double(fitting) / Double(max(values.count, 1))
    }

    /// Returns whether the values look like a pair of a join table, with positions at the end.
    static func isPair(_ values: [StoredValue]) -> Bool {
        (2...4).contains(values.count)
            && values.enumerated().allSatisfy { place, value in
                switch value {
                case .integer(let number): number > 0
                case .null: place >= 2
                default: false
                }
            }
    }

    /// Returns whether the values look like a row of a system table.
    static func isOfSystem(_ values: [StoredValue]) -> Bool {
        switch values.count {
        case 1: if case .blob = values[0] { return true }
        case 3: if values[0] == .null, case .blob = values[2] { return true }
        case 4: if values[0] == .null, case .text = values[1] { return true }
        case 5:
            if case .text(let kind) = values[0] { return ["table", "index", "trigger", "view"].contains(kind) }
        default: break
        }
        return false
    }
}
