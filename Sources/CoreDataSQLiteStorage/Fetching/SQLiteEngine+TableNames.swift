import CoreDataRowStorage
import PredicateFormat

extension SQLiteEngine: TableNames {
    func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> ToManyColumns? {
        schema.columns(of: relationship, in: layout)
    }

    func number(inFileOf number: Int) -> Int { numbering.inFile[number] }

    func collation(_ wanted: StringCollation) -> String? { Collations.name(of: wanted) }
}
