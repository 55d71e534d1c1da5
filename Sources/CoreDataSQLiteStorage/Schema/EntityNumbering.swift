import CoreDataRowStorage

/// The entity numbers of a file, which are nearly always the model's own.
package struct EntityNumbering: Sendable {
    /// The numbers in the file, by the model's number.
    package let inFile: ContiguousArray<Int>
    private let byFileNumber: ContiguousArray<Int>

    /// Creates the numbering of a new file: the model's own numbers.
    package init(_ layouts: ModelLayouts) {
        inFile = ContiguousArray(0..<layouts.byNumber.count)
        byFileNumber = inFile
    }

    /// Creates the numbering of `Z_PRIMARYKEY`. Entities are found by name; if some are missing, as in files with entities
    /// that a migration renamed, the model's numbers are assumed.
    ///
    /// - Parameters:
    ///   - numbers: the numbers in the file by entity name.
    ///   - required: numbers of the entities that the store is used for. Others may be missing from the file and then get
    ///     numbers without rows.
    init(_ layouts: ModelLayouts, numbers: [String: Int], required: Set<Int>) {
        func stored(_ layout: EntityLayout) -> Int? {
            numbers[layout.name].flatMap { (1..<1 << 15).contains($0) ? $0 : nil }
        }
        var inFile = ContiguousArray(0..<layouts.byNumber.count)
        if layouts.all.allSatisfy({ stored($0) != nil || !required.contains($0.number) }) {
            var unused = numbers.values.filter { $0 < 16000 }.max() ?? 0
            for layout in layouts.all {
                if stored(layout) == nil { unused += 1 }
                inFile[layout.number] = stored(layout) ?? unused
            }
        }
        var reverse = ContiguousArray(repeating: 0, count: (inFile.max() ?? 0) + 1)
        for (number, stored) in inFile.enumerated() where number > 0 { reverse[stored] = number }
        self.inFile = inFile
        byFileNumber = reverse
    }

    /// Returns the model's number for a number in the file; nil for entities that are not in the model.
    @inline(__always)
    func inModel(_ number: Int) -> Int? {
        guard number > 0, number < byFileNumber.count else { return nil }
        let known = byFileNumber[number]
        return known > 0 ? known : nil
    }
}
