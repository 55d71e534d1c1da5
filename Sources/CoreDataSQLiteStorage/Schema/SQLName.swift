import CCoreDataSQLite
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// Quoting of names in statements.
///
/// Core Data writes the names of tables, columns and triggers without quotes. They consist of the model's names, so
/// ``SQLSchema`` refuses a model with a name that would need quotes. All other names, those of indexes and of objects found
/// in a file, are written by ``quoted(_:)``.
enum SQLName {
    /// Returns a name as it must appear in a statement: quoted if necessary.
    static func quoted(_ name: String) -> String {
        name.isPlainIdentifier() && !isKeyword(name) ? name : "\"\(name.doubling("\""))\""
    }

    private static func isKeyword(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { sqlite3_keyword_check($0.baseAddress, Int32($0.count)) != 0 }
        }
    }

    // MARK: Names of models

    /// The tables of every file, by the names of the entities that they would collide with.
    private static let taken = ["_PRIMARYKEY", "_METADATA", "_MODELCACHE"]

    /// Checks all names that become parts of table, column and trigger names.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` naming the first invalid one.
    static func check(_ layouts: ModelLayouts) throws {
        for layout in layouts.all {
            guard layout.name.isPlainIdentifier(afterPrefix: true) else { throw refusal("entity", layout.name, layout) }
            if layout.isRoot, layout.name.utf8.first == UInt8(ascii: "_"), taken.contains(layout.name.uppercased()) {
                throw refusal("entity", layout.name, layout, reason: "a table of every store has that name")
            }
            // Transient attributes have no columns and may have any name.
            for cell in layout.ownCells where !cell.isTransient {
                if let name = unusable(cell) { throw refusal("attribute", name, layout) }
            }
            for relationship in layout.ownRelationships where !relationship.name.isPlainIdentifier(afterPrefix: true) {
                throw refusal("relationship", relationship.name, layout)
            }
        }
    }

    /// Returns the invalid name of an attribute, or of an element on a composite's path; nil if all are valid.
    private static func unusable(_ cell: EntityLayout.Cell) -> String? {
        guard let composite = cell.compositeName else {
            return cell.name.isPlainIdentifier(afterPrefix: true) ? nil : cell.name
        }
        return ([composite] + cell.elementPath).first { !$0.isPlainIdentifier(afterPrefix: true) }
    }

    private static func refusal(
        _ kind: String, _ name: String, _ layout: EntityLayout,
        reason: String = "it may have letters, digits, “_” and “$” only"
    ) -> NSError {
        let owner = kind == "entity" ? "" : " of \(layout.name)"
        return CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError,
            description: "The name “\(name)” of the model cannot be used in an SQLite store.",
            reason: "The \(kind) “\(name)”\(owner): \(reason).",
            advice: "Give the \(kind) another name in the model.", entity: layout.name,
            key: kind == "entity" ? nil : name)
    }
}
