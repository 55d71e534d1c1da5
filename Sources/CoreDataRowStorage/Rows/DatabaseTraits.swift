/// The settings in the `userInfo` of an entity or property for its table or column in a database server.
package struct DatabaseTraits: Hashable, Sendable {
    /// The name of the table or column, as it is: `postgresql.name`.
    package var name: String?
    /// The schema of an entity's table: `postgresql.schema`.
    package var schema: String?
    /// The type of an attribute's column: `postgresql.type`.
    package var type: String?

    /// True if the column of a date has the type that keeps every bit of it.
    package var keepsWholeDates: Bool { type?.lowercased() == Self.wholeDateType }
    /// The type of dates as seconds since the reference date, 2001.
    package static let wholeDateType = "double precision"

    package init() {}

    /// Creates the traits of an entity or property.
    ///
    /// - Parameter value: returns the text under a key of its `userInfo`. Empty texts are ignored.
    package init(_ value: (String) -> String?) {
        func text(_ key: String) -> String? { value(key).flatMap { $0.isEmpty ? nil : $0 } }
        name = text("postgresql.name")
        schema = text("postgresql.schema")
        type = text("postgresql.type")
    }
}

extension EntityTraits {
    package func databaseTraits(at path: [String]) -> DatabaseTraits { DatabaseTraits() }
}

extension EntityLayout {
    /// Returns what the model sets for the column of one of ``ownCells``.
    package func databaseTraits(of cell: Cell) -> DatabaseTraits {
        traits.databaseTraits(at: cell.compositeName.map { [$0] + cell.elementPath } ?? [cell.name])
    }
}
