/// The dates of an entity that stores with ``StoreAbilities/microsecondDates`` round.
package final class RoundedDates: Sendable {
    /// The slots: all but those of columns that keep every bit.
    package let cells: [Int]

    init(_ layout: EntityLayout) {
        cells =
            (layout.superlayout?.roundedDates.cells ?? [])
            + layout.ownCells.filter { cell in
                cell.kind == .date && !cell.isTransient && !layout.databaseTraits(of: cell).keepsWholeDates
            }.map(\.index)
    }
}

extension EntityLayout {
    package var roundedDates: RoundedDates { madeRoundedDates.value { RoundedDates(self) } }
}
