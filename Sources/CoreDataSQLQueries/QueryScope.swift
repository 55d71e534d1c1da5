import CoreDataRowStorage

/// One FROM clause: the objects that a query or subselect ranges over, and the tables joined for to-one paths.
package final class QueryScope {
    /// An object in a query: the SQL of its key, and the alias of its row once that is needed.
    package struct Place {
        package let scope: QueryScope
        package let layout: EntityLayout
        /// The SQL of the primary key.
        package let key: SQLFragment
        fileprivate let alias: String?

        init(_ scope: QueryScope, _ layout: EntityLayout, key: SQLFragment, alias: String? = nil) {
            self.scope = scope
            self.layout = layout
            self.key = key
            self.alias = alias
        }
    }

    let parent: QueryScope?
    /// The iteration variable of a subquery.
    let variable: String?
    package private(set) var joins: [SQLFragment] = []
    private var aliasByKey: [SQLFragment: String] = [:]
    package private(set) var place: Place!

    package init(parent: QueryScope?, variable: String? = nil) {
        self.parent = parent
        self.variable = variable
    }

    package func setPlace(_ layout: EntityLayout, key: SQLFragment, alias: String? = nil) {
        place = Place(self, layout, key: key, alias: alias)
    }

    /// Returns the alias of an object's row, adding a join on first use.
    package func alias(of place: Place, compiler: SQLCompiler) throws -> String {
        if let alias = place.alias { return alias }
        if let alias = aliasByKey[place.key] { return alias }
        let alias = compiler.makeAlias()
        let table = compiler.name(try compiler.tables.columns(of: place.layout).table)
        joins.append("LEFT OUTER JOIN \(table) \(raw: alias) ON \(compiler.key(alias)) = \(place.key)")
        aliasByKey[place.key] = alias
        return alias
    }

    /// Returns true if this scope or one around it is that of a subquery with the given variable.
    func binds(_ name: String) -> Bool { variable == name || parent?.binds(name) ?? false }

    /// The outermost query, which `SELF` and plain key paths refer to.
    var root: QueryScope {
        var scope = self
        while let parent = scope.parent { scope = parent }
        return scope
    }
}
