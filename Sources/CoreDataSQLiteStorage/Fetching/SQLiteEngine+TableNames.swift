import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

extension SQLiteEngine: TableNames {
    package var dialect: any SQLDialect { SQLiteDialect() }

    package func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns? {
        schema.columns(of: relationship, in: layout)
    }

    package func number(inFileOf number: Int) -> Int { numbering.inFile[number] }

    package func collation(_ wanted: StringCollation) -> String? { Collations.name(of: wanted) }
}
